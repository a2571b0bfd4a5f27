#include "plr/env/spaces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

namespace plr {
namespace {

float draw_between(float low, float high, Random& random) {
  if (!std::isfinite(low) || !std::isfinite(high)) {
    low = std::clamp(-1.0F, low, high);
    high = std::clamp(1.0F, low, high);
  }
  const double between = low + (static_cast<double>(high) - low) * random.uniform();
  return std::clamp(static_cast<float>(between), low, high);  // the conversion may round up
}

}  // namespace

bool ActionSpace::is_valid() const {
  if (size() == 0 || (is_discrete() && size() != 1)) return false;
  if (!is_continuous()) return std::ranges::all_of(counts, [](int count) { return count > 0; });
  return std::ranges::equal(low, high, std::less());
}

std::string to_text(const ActionSpace& space) {
  std::ostringstream text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (i > 0) text << " x ";
    if (space.is_continuous()) {
      text << '[' << space.low[i] << ", " << space.high[i] << ']';
    } else {
      text << space.counts[i];
    }
  }
  return text.str();
}

void draw_action(const ActionSpace& space, Random& random, std::span<Action> action) {
  for (std::size_t i = 0; i < action.size(); ++i) {
    if (space.is_continuous()) {
      action[i] = to_word(draw_between(space.low[i], space.high[i], random));
    } else {
      action[i] = static_cast<Action>(random.below(static_cast<std::uint64_t>(space.counts[i])));
    }
  }
}

}  // namespace plr

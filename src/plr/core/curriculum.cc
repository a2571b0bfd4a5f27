#include "plr/core/curriculum.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/base/fields.h"

namespace plr {

std::vector<LevelId> sequential_levels(const LevelSet& levels, std::size_t num_slots) {
  std::vector<LevelId> first(num_slots);
  for (std::size_t slot = 0; slot < num_slots; ++slot) first[slot] = levels[slot % levels.size()];
  return first;
}

void check_result(const EpisodeResult& result, const LevelSet& levels) {
  const auto check_finite = [&](const char* field, double value) {
    if (std::isfinite(value)) return;
    throw std::invalid_argument(std::string(field) + " of level " + std::to_string(result.level) +
                                " must be a finite number, not " + to_text(value));
  };
  check_finite("score", result.score);
  check_finite("episode_return", result.episode_return);
  if (!levels.contains(result.level)) {
    throw std::out_of_range("level " + std::to_string(result.level) + " is not in the set of " +
                            std::to_string(levels.size()) + " levels");
  }
}

}  // namespace plr

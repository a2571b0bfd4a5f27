#include "plr/report/same_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plr/report/labels.h"

namespace plr::report {
namespace {

// Whether all settings of `a` that matter are equal in `b`.
bool are_settings_in(const RunData& a, const RunData& b) {
  const bool ignores_steps = a.folder.filename() == b.folder.filename();
  return std::ranges::all_of(a.settings, [&](const auto& entry) {
    const auto& [name, value] = entry;
    const bool is_ignored = name == "steps" ? ignores_steps : is_irrelevant_setting(name);
    return is_ignored || b.setting(name) == value;
  });
}

// Exported returns have six digits.
bool are_close(double a, double b) {
  constexpr double kTolerance = 1e-5;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

bool have_equal_returns(const RunData& a, const RunData& b) {
  auto first = a.evaluations.begin();
  auto second = b.evaluations.begin();
  while (first != a.evaluations.end() && second != b.evaluations.end()) {
    if (first->steps < second->steps) {
      ++first;
    } else if (second->steps < first->steps) {
      ++second;
    } else {
      const bool is_last_of_one = first->is_final != second->is_final;  // with other episodes
      if (!is_last_of_one && !(are_close(first->test_return, second->test_return) &&
                               are_close(first->train_return, second->train_return))) {
        return false;
      }
      ++first;
      ++second;
    }
  }
  return true;
}

}  // namespace

bool is_same_run(const RunData& a, const RunData& b) {
  return a.env() == b.env() && a.setting("seed") == b.setting("seed") && are_settings_in(a, b) &&
         are_settings_in(b, a) && have_equal_returns(a, b);
}

bool is_further(const RunData& a, const RunData& b) {
  return std::pair(a.is_finished, a.steps_done()) > std::pair(b.is_finished, b.steps_done());
}

}  // namespace plr::report

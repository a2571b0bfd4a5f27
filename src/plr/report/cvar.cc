#include "plr/report/cvar.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace plr::report {
namespace {

double rate(std::int64_t successes, std::int64_t episodes) {
  return episodes == 0 ? 0 : static_cast<double>(successes) / static_cast<double>(episodes);
}

}  // namespace

std::optional<double> cvar(std::span<const run::CvarRow> levels, double fraction) {
  constexpr double kRounding = 1e-9;  // 0.29 * 100 is below 29
  const auto count = static_cast<std::size_t>(
      std::floor(fraction * static_cast<double>(levels.size()) + kRounding));
  if (count == 0) return std::nullopt;
  std::vector<run::CvarRow> sorted(levels.begin(), levels.end());
  std::ranges::stable_sort(sorted, {}, [](const run::CvarRow& level) {
    return rate(level.successes_a, level.episodes_a);
  });
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += rate(sorted[i].successes_b, sorted[i].episodes_b);
  return sum / static_cast<double>(count);
}

}  // namespace plr::report

#include "plr/report/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <ranges>

namespace plr::report {
namespace {

// The number of values is computed from a fraction such as 0.1 * 30, which is a little above 3; the
// tolerance avoids rounding it up to 4.
constexpr double kCountTolerance = 1e-9;

double mean(std::span<const double> values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Summary summarize(std::span<const double> values) {
  if (values.empty()) return {};
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  const auto degrees = static_cast<double>(values.size() - 1);
  return {values.size(), center, degrees > 0 ? std::sqrt(squares / degrees) : 0};
}

double interquartile_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;  // a quarter at each end
  return mean(std::span(values).subspan(cut, values.size() - 2 * cut));
}

double worst_mean(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double wanted = std::ceil(fraction * static_cast<double>(values.size()) - kCountTolerance);
  const auto count = std::clamp(static_cast<std::size_t>(wanted), std::size_t{1}, values.size());
  return mean(std::span(values).first(count));
}

double normalized_auc(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size() && !x.empty());
  double area = 0;
  for (std::size_t i = 1; i < x.size(); ++i) area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
  const double width = x.back() - x.front();
  return width > 0 ? area / width : y.back();
}

double min_max_normalized(double episode_return, const ReturnRange& range) {
  return (episode_return - range.low) / (range.high - range.low);
}

Summary mean_over_envs(const Matrix& values) {
  const auto num_envs = static_cast<double>(values.size());
  const auto [shortest, longest] = std::ranges::minmax_element(values, {}, std::ranges::size);
  const std::size_t fewest = shortest->size();
  if (fewest == 0) return {};
  if (fewest == longest->size()) {
    std::vector<double> means(fewest);
    for (const auto& row : values) {
      for (std::size_t k = 0; k < fewest; ++k) means[k] += row[k] / num_envs;
    }
    return summarize(means);
  }
  Summary result{.count = fewest};
  double variance = 0;
  for (const auto& row : values) {
    const Summary env = summarize(row);
    result.mean += env.mean / num_envs;
    variance += env.deviation * env.deviation;
  }
  if (fewest > 1) result.deviation = std::sqrt(variance) / num_envs;
  return result;
}

Summary relative_returns(const Matrix& method, const Matrix& baseline) {
  assert(method.size() == baseline.size() && !method.empty());
  Matrix relative = method;
  for (std::size_t g = 0; g < method.size(); ++g) {
    const double base = mean(baseline[g]);
    if (base <= 0) return {};  // a quotient would rank methods in the wrong order
    for (double& value : relative[g]) value /= base;
  }
  return mean_over_envs(relative);
}

}  // namespace plr::report

#include "plr/report/bootstrap.h"

#include <algorithm>
#include <utility>

namespace plr::report {
namespace {

// The ends of the middle 95 %.
constexpr double kLowQuantile = 0.025;
constexpr double kHighQuantile = 0.975;

// Interpolates between the two nearest ranks of sorted values.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// `mean_of` is given the values of each resample.
template <class MeanOf>
Interval interval(const Matrix& values, Random random, int num_resamples, MeanOf mean_of) {
  std::vector<double> means;
  std::vector<double> sample;
  for (int i = 0; i < num_resamples; ++i) {
    sample.clear();
    for (const std::vector<double>& row : values) {
      for (std::size_t k = 0; k < row.size(); ++k) sample.push_back(row[random.below(row.size())]);
    }
    means.push_back(mean_of(sample));
  }
  return middle_interval(std::move(means));
}

}  // namespace

bool can_resample(const Matrix& values) {
  return std::ranges::all_of(values, [](const auto& row) { return row.size() > 1; });
}

Interval interquartile_interval(const Matrix& values, Random random, int num_resamples) {
  return interval(values, random, num_resamples, interquartile_mean);
}

Interval mean_interval(const Matrix& values, Random random, int num_resamples) {
  return interval(values, random, num_resamples,
                  [](const std::vector<double>& sample) { return summarize(sample).mean; });
}

void resample(const Matrix& values, Random& random, Matrix& sample) {
  for (std::size_t e = 0; e < values.size(); ++e) {
    for (double& value : sample[e]) value = values[e][random.below(values[e].size())];
  }
}

Interval middle_interval(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return {quantile(numbers, kLowQuantile), quantile(numbers, kHighQuantile)};
}

}  // namespace plr::report

#include "plr/report/bootstrap.h"

#include <algorithm>

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

// `mean_of` is given each resample.
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
  std::sort(means.begin(), means.end());
  return {quantile(means, kLowQuantile), quantile(means, kHighQuantile)};
}

}  // namespace

Interval interquartile_interval(const Matrix& values, Random random, int num_resamples) {
  return interval(values, random, num_resamples, interquartile_mean);
}

Interval mean_interval(const Matrix& values, Random random, int num_resamples) {
  return interval(values, random, num_resamples,
                  [](const std::vector<double>& sample) { return summarize(sample).mean; });
}

}  // namespace plr::report

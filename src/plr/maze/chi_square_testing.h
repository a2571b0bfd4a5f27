// Chi-square tests for random draws with fixed seeds.
//
//   EXPECT_LT(uniform_deviation(counts), kMaxDeviation);
//
// Each function returns the statistic in standard deviations above its mean: (X2 - df) / sqrt(2
// df). Stateless: thread-safe.
#pragma once

#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace plr::maze {

// A correct draw exceeds this with a probability below 1e-4 for ten or more degrees of freedom.
inline constexpr double kMaxDeviation = 5;

inline double chi_square_deviation(double statistic, double degrees) {
  return (statistic - degrees) / std::sqrt(2 * degrees);
}

// Of counts whose expected values are equal.
inline double uniform_deviation(const std::vector<int>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const int count : counts) statistic += (count - expected) * (count - expected) / expected;
  return chi_square_deviation(statistic, static_cast<double>(counts.size()) - 1);
}

// Of two histograms of equally many draws from one distribution.  Values are joined with the next
// ones until both histograms together have at least ten of them.
inline double two_sample_deviation(const std::map<int, int>& a, const std::map<int, int>& b) {
  std::map<int, std::pair<double, double>> both;
  for (const auto& [value, count] : a) both[value].first = count;
  for (const auto& [value, count] : b) both[value].second = count;
  std::vector<std::pair<double, double>> bins(1);
  for (const auto& [value, counts] : both) {
    if (bins.back().first + bins.back().second >= 10) bins.emplace_back();
    bins.back().first += counts.first;
    bins.back().second += counts.second;
  }
  double statistic = 0;
  for (const auto& [x, y] : bins) statistic += (x - y) * (x - y) / (x + y);
  return chi_square_deviation(statistic, std::max(1.0, static_cast<double>(bins.size()) - 1));
}

}  // namespace plr::maze

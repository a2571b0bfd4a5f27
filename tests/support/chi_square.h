// How far counts of draws are from their expectations.
//
//   EXPECT_LT(chi_square_deviations(expected, counts), 5);
//
// Thread-safe.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace plr::testing {

// The deviation of the counts in standard deviations, by Wilson and Hilferty's nearly normal
// (chi2/k)^(1/3). Slots that expect fewer than ten draws are pooled.
inline double chi_square_deviations(const std::vector<double>& expected,
                                    const std::vector<int>& counts) {
  double chi_square = 0;
  double degrees = -1;
  double rest_expected = 0;
  double rest_count = 0;
  const auto add = [&](double count, double expectation) {
    chi_square += (count - expectation) * (count - expectation) / expectation;
    ++degrees;
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] >= 10) {
      add(counts[i], expected[i]);
    } else {
      rest_expected += expected[i];
      rest_count += counts[i];
    }
  }
  if (rest_expected >= 10) add(rest_count, rest_expected);
  if (degrees < 1) return 0;
  const double variance = 2 / (9 * degrees);
  return (std::cbrt(chi_square / degrees) - (1 - variance)) / std::sqrt(variance);
}

}  // namespace plr::testing

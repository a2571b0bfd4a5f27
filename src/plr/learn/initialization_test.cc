#include "plr/learn/initialization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plr::learn {
namespace {

// [rows, cols] times its transpose.
double gram(const std::vector<double>& matrix, std::size_t cols, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < cols; ++k) sum += matrix[i * cols + k] * matrix[j * cols + k];
  return sum;
}

TEST(StandardNormal, HasTheNormalDistributionsFrequencies) {
  // Ten intervals of equal probability; chi-square with 9 degrees of freedom exceeds 33.7 once in
  // 10,000 seeds.
  constexpr int kDraws = 100'000;
  Random random = Streams(5).named("normal");
  std::vector<int> counts(10);
  for (int i = 0; i < kDraws; ++i) {
    const double below = 0.5 * std::erfc(-standard_normal(random) / std::sqrt(2.0));
    ++counts[static_cast<std::size_t>(below * 10)];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / 10.0, 2) / (kDraws / 10.0);
  EXPECT_LT(chi_square, 33.7);
}

TEST(StandardNormal, HasTheNormalDistributionsTails) {
  // P(|x| > 3) = 0.0026998: of 200,000 draws 540, with a deviation of 23.
  Random random = Streams(6).named("normal");
  int far = 0;
  for (int i = 0; i < 200'000; ++i) far += std::abs(standard_normal(random)) > 3 ? 1 : 0;
  EXPECT_NEAR(far, 540, 4 * 23);
}

TEST(Orthogonal, RowsAreOrthonormalTimesTheGain) {
  Random random = Streams(1).named("init");
  const std::vector<double> matrix = orthogonal(16, 40, 0.5, random);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j)
      EXPECT_NEAR(gram(matrix, 40, i, j), i == j ? 0.25 : 0, 1e-12);
  }
}

TEST(Orthogonal, WithMoreRowsThanColumnsTheColumnsAreOrthonormal) {
  Random random = Streams(1).named("init");
  const std::vector<double> matrix = orthogonal(40, 3, 1, random);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 40; ++k) sum += matrix[k * 3 + i] * matrix[k * 3 + j];
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
    }
  }
}

TEST(Orthogonal, DirectionsAreUniformlyDistributed) {
  // A coordinate of a random unit vector of 4 dimensions has mean 0 and variance 1/4: the mean of
  // 4,000 has a deviation of 0.5 / sqrt(4000) = 0.0079, and that of its square one of about 0.0035.
  Random random = Streams(2).named("init");
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 4000; ++i) {
    const double x = orthogonal(2, 4, 1, random)[0];
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 4000, 0, 4 * 0.0079);
  EXPECT_NEAR(squares / 4000, 0.25, 4 * 0.0035);
}

TEST(XavierUniform, StaysWithinItsBoundAndFillsBothHalves) {
  // sqrt(6 / (2 + 4)) = 1.
  Random random = Streams(1).named("init");
  double sum = 0;
  for (const double x : xavier_uniform(10'000, 2, 4, random)) {
    EXPECT_LE(std::abs(x), 1);
    sum += x;
  }
  // Deviation of the mean: 1 / sqrt(3 * 10,000) = 0.0058.
  EXPECT_NEAR(sum / 10'000, 0, 4 * 0.0058);
}

}  // namespace
}  // namespace plr::learn

#include "plr/learn/initialization.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace plr::learn {
namespace {

// True with probability exp(-x), 0 <= x <= 1 (von Neumann 1951): the length of the longest
// decreasing run x > u1 > u2 > ... is even with this probability.
bool happens_with_exp_minus(double x, Random& random) {
  bool even = true;
  double last = x;
  for (double u = random.uniform(); u < last; u = random.uniform()) {
    last = u;
    even = !even;
  }
  return even;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Gram-Schmidt, each row against those before it.  Unlike a library's QR it leaves no free
// signs, so rows drawn from the normal distribution become a uniformly random orthonormal set.
void orthonormalize_rows(std::span<double> matrix, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<double> row = matrix.subspan(i * cols, cols);
    for (std::size_t j = 0; j < i; ++j) {
      const std::span<const double> before = matrix.subspan(j * cols, cols);
      const double overlap = dot(row, before);
      for (std::size_t k = 0; k < cols; ++k) row[k] -= overlap * before[k];
    }
    const double length = std::sqrt(dot(row, row));
    for (double& x : row) x /= length;
  }
}

}  // namespace

double standard_normal(Random& random) {
  for (;;) {
    // The whole part k with probability proportional to exp(-k/2) exp(-k(k-1)/2) = exp(-k*k/2).
    int k = 0;
    while (happens_with_exp_minus(0.5, random)) ++k;
    bool accepted = true;
    for (int i = 0; accepted && i < k * (k - 1); ++i)
      accepted = happens_with_exp_minus(0.5, random);
    if (!accepted) continue;
    // The fraction x with probability exp(-x(2k+x)/2), in k+1 factors whose exponents are below 1.
    const double x = random.uniform();
    const double exponent = x * (2 * k + x) / (2 * k + 2);
    for (int i = 0; accepted && i <= k; ++i) accepted = happens_with_exp_minus(exponent, random);
    if (!accepted) continue;
    return random.below(2) == 0 ? k + x : -(k + x);
  }
}

std::vector<double> orthogonal(std::int64_t rows, std::int64_t cols, double gain, Random& random) {
  const auto few = static_cast<std::size_t>(std::min(rows, cols));
  const auto many = static_cast<std::size_t>(std::max(rows, cols));
  std::vector<double> basis(few * many);  // [few, many]
  for (double& x : basis) x = standard_normal(random);
  orthonormalize_rows(basis, few, many);
  for (double& x : basis) x *= gain;
  if (rows <= cols) return basis;

  std::vector<double> transposed(basis.size());
  for (std::size_t i = 0; i < few; ++i) {
    for (std::size_t k = 0; k < many; ++k) transposed[k * few + i] = basis[i * many + k];
  }
  return transposed;
}

std::vector<double> truncated_normal(std::int64_t count, std::int64_t fan_in, Random& random) {
  constexpr double kLimit = 2;
  constexpr double kDeviation = 0.87962566103423978;  // of a standard normal truncated at the limit
  const double scale = 1 / (kDeviation * std::sqrt(static_cast<double>(fan_in)));
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& x : numbers) {
    do x = standard_normal(random);
    while (std::abs(x) > kLimit);
    x *= scale;
  }
  return numbers;
}

std::vector<double> xavier_uniform(std::int64_t count, std::int64_t fan_in, std::int64_t fan_out,
                                   Random& random) {
  const double bound = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& x : numbers) x = bound * (2 * random.uniform() - 1);
  return numbers;
}

}  // namespace plr::learn

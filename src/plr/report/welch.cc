#include "plr/report/welch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plr::report {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method. Converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kTolerance = 1e-16;
  constexpr int kMaxTerms = 10'000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int i = 1; i < kMaxTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < kTolerance) break;
  }
  return fraction;
}

// I_x(a, b), the regularized incomplete beta function. `rest` is 1 - x, an argument because the
// caller may know it more precisely.
double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(rest));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, rest) / b;
}

}  // namespace

double student_two_sided(double t, double degrees_of_freedom) {
  if (std::isinf(t)) return 0;
  const double sum = degrees_of_freedom + t * t;
  return incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / sum, t * t / sum);
}

std::optional<Welch> welch(const Summary& a, const Summary& b) {
  if (a.count < 2 || b.count < 2) return std::nullopt;
  const auto n = static_cast<double>(a.count);
  const auto m = static_cast<double>(b.count);
  const double u = a.deviation * a.deviation / n;
  const double v = b.deviation * b.deviation / m;
  const double difference = a.mean - b.mean;
  if (u + v == 0) {
    // Without variance, any difference of the means is significant.
    const double infinite = std::numeric_limits<double>::infinity();
    if (difference == 0) return Welch{.t = 0, .degrees_of_freedom = n + m - 2, .p = 1};
    return Welch{.t = std::copysign(infinite, difference), .degrees_of_freedom = n + m - 2, .p = 0};
  }
  const double t = difference / std::sqrt(u + v);
  const double df = (u + v) * (u + v) / (u * u / (n - 1) + v * v / (m - 1));
  return Welch{.t = t, .degrees_of_freedom = df, .p = student_two_sided(t, df)};
}

bool is_significantly_above(const Summary& a, const Summary& b) {
  const std::optional<Welch> test = welch(a, b);
  return test && test->t > 0 && test->p < kSignificanceLevel;
}

std::vector<bool> bold_methods(std::span<const Summary> methods) {
  std::vector<bool> bold(methods.size(), false);
  const Summary* best = nullptr;
  for (const Summary& s : methods) {
    if (s.count > 0 && (best == nullptr || s.mean > best->mean)) best = &s;
  }
  bool is_all = true;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (methods[i].count == 0) continue;
    bold[i] = &methods[i] == best || !is_significantly_above(*best, methods[i]);
    is_all = is_all && bold[i];
  }
  if (is_all) std::fill(bold.begin(), bold.end(), false);
  return bold;
}

}  // namespace plr::report

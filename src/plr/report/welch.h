// Welch's t-test, two-sided, for two samples of unequal variance, and the paper's rule for bold
// print: the method with the highest mean and all methods that are not significantly below it,
// unless these are all methods.
//
//   const std::optional<Welch> test = welch(summarize(plr), summarize(uniform));
//   if (test && test->p < kSignificanceLevel) ...
//
// Pure functions of their arguments; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plr/report/statistics.h"

namespace plr::report {

inline constexpr double kSignificanceLevel = 0.05;

struct Welch {
  double t = 0;                   // infinite if both samples have no variance but different means
  double degrees_of_freedom = 0;  // Welch-Satterthwaite
  double p = 1;
};

// Empty if either sample has fewer than two values.
std::optional<Welch> welch(const Summary& a, const Summary& b);

// Whether the mean of `a` is significantly above that of `b`.
bool is_significantly_above(const Summary& a, const Summary& b);

// Whether each method is printed in bold; methods without values never are.
std::vector<bool> bold_methods(std::span<const Summary> methods);

// P(|T| >= |t|) of Student's t-distribution. REQUIRES: `degrees_of_freedom` is above 0.
double student_two_sided(double t, double degrees_of_freedom);

}  // namespace plr::report

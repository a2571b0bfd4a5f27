// Is the difference between two methods more than luck?
//
// Welch's t-test, two-sided, for samples of unequal variance, and the paper's rule of what is
// printed in bold: the method with the best mean and every one that is not significantly different
// from it, unless that is all of them.
//
//   const std::optional<Welch> test = welch(summary_of(plr), summary_of(uniform));
//   if (test && test->p < kSignificant) ...
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plr/report/statistics.h"

namespace plr::report {

inline constexpr double kSignificant = 0.05;

struct Welch {
  double t = 0;                   // infinite if neither sample varies
  double degrees_of_freedom = 0;  // after Welch and Satterthwaite
  double p = 1;
};

// Nothing if either has fewer than two values.
std::optional<Welch> welch(const Summary& a, const Summary& b);

// Whether `a` is above `b`, and significantly so.
bool is_significantly_above(const Summary& a, const Summary& b);

// What to print in bold, the highest mean being the best; methods without values never are.
std::vector<bool> bold_methods(std::span<const Summary> methods);

// P(|T| >= |t|) of Student's distribution; degrees of freedom above 0.
double student_two_sided(double t, double degrees_of_freedom);

}  // namespace plr::report

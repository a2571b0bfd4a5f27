#include "plr/report/number_format.h"

#include <fmt/format.h>

#include <cmath>

namespace plr::report {

std::string decimal(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  // Avoid printing -0.00.
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string short_number(double value) {
  constexpr double kSmallestInMillions = 1e6;
  constexpr double kSmallestInThousands = 1e4;
  constexpr double kLargestZero = 1e-12;  // rounding errors of multiples, such as ticks
  const double size = std::abs(value);
  if (size >= kSmallestInMillions) return fmt::format("{:.10g}M", value / 1e6);
  if (size >= kSmallestInThousands) return fmt::format("{:.10g}k", value / 1e3);
  return fmt::format("{:.6g}", size < kLargestZero ? 0 : value);
}

}  // namespace plr::report

#include "plr/terminal/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plr::terminal {

std::string short_number(double number) {
  if (number >= 9.995e8) return fmt::format("{:.2f}G", number / 1e9);
  if (number >= 9.995e5) return fmt::format("{:.2f}M", number / 1e6);
  if (number >= 9.995e2) return fmt::format("{:.1f}k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::max(0.0, std::round(seconds)));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string duration_text(double seconds) {
  return seconds < 3600 ? fmt::format("{:.0f} min", std::ceil(seconds / 60))
                        : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace plr::terminal

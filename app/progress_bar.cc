#include "app/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace plr::app {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{100};
constexpr std::chrono::seconds kElsewhere{10};
constexpr int kBarWidth = 24;

// Filled by eighths of a character.
std::string bar(double fraction) {
  constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::round(fraction * kBarWidth * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  const bool has_part = eighths % 8 != 0;
  if (has_part) text += kEighths[static_cast<std::size_t>(eighths % 8)];
  for (int i = eighths / 8 + (has_part ? 1 : 0); i < kBarWidth; ++i) text += " ";
  return text;
}

}  // namespace

ProgressBar::ProgressBar(std::FILE* out) : out_(out), is_terminal_(isatty(fileno(out)) != 0) {}

void ProgressBar::show(const BarState& state) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_early = is_terminal_ ? now - last_ < kOnTerminal : now - last_ < kElsewhere;
  if (is_early && state.fraction < 1) return;
  last_ = now;
  const std::string percent = fmt::format("{:3.0f}%", std::floor(100 * state.fraction));
  if (is_terminal_) {
    fmt::print(out_, "\r\033[K{} |{}| {}  {} left", percent, bar(state.fraction), state.text,
               clock_text(state.seconds_left));
    is_open_ = true;
  } else {
    fmt::print(out_, "{}  {}  {} left\n", percent, state.text, clock_text(state.seconds_left));
  }
  std::fflush(out_);
}

void ProgressBar::say(const std::string& line) {
  fmt::print(out_, "{}{}\n", is_open_ ? "\r\033[K" : "", line);
  std::fflush(out_);
  is_open_ = false;
  last_ = {};
}

void ProgressBar::finish() {
  if (is_open_) fmt::print(out_, "\n");
  is_open_ = false;
}

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

}  // namespace plr::app

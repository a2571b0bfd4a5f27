#include "plr/terminal/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "plr/terminal/block_bar.h"
#include "plr/terminal/number_text.h"
#include "plr/terminal/print.h"

namespace plr::terminal {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{100};
constexpr std::chrono::seconds kElsewhere{10};
constexpr int kBarWidth = 24;

}  // namespace

ProgressBar::ProgressBar(std::FILE* out) : out_(out), is_terminal_(isatty(fileno(out)) != 0) {}

void ProgressBar::show(const BarState& state) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_early = is_terminal_ ? now - last_ < kOnTerminal : now - last_ < kElsewhere;
  if (is_early && state.fraction < 1) return;
  last_ = now;
  const std::string percent = fmt::format("{:3.0f}%", std::floor(100 * state.fraction));
  if (is_terminal_) {
    print(out_, "\r\033[K{} |{}| {}  {} left", percent,
          padded(block_bar(state.fraction, kBarWidth), kBarWidth), state.text,
          clock_text(state.seconds_left));
    is_open_ = true;
  } else {
    print(out_, "{}  {}  {} left\n", percent, state.text, clock_text(state.seconds_left));
  }
  std::fflush(out_);
}

void ProgressBar::print_line(const std::string& line) {
  print(out_, "{}{}\n", is_open_ ? "\r\033[K" : "", line);
  std::fflush(out_);
  is_open_ = false;
  last_ = {};
}

void ProgressBar::finish() {
  if (is_open_) print(out_, "\n");
  is_open_ = false;
}

void FractionDone::operator()(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!started_) started_ = now;
  const double elapsed = std::chrono::duration<double>(now - *started_).count();
  if (elapsed < 1) return;
  bar_->show({.fraction = fraction,
              .seconds_left = fraction > 0 ? elapsed * (1 - fraction) / fraction : 0,
              .text = text_});
}

}  // namespace plr::terminal

// A progress bar for long operations.
//
// On a terminal it is one line that is redrawn at most ten times per second; elsewhere a plain line
// every ten seconds, which keeps logs readable.
//
//   ProgressBar bar(stderr);
//   bar.show({.fraction = 0.25, .seconds_left = 90, .text = "12.3k steps/s"});
//   bar.finish();
//
// Copies write to the same file; use one of them.  Not thread-safe.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace plr::terminal {

struct BarState {
  double fraction = 0;  // 0..1
  double seconds_left = 0;
  std::string text;
};

class ProgressBar {
 public:
  // REQUIRES: `out` stays open as long as the bar is used.
  explicit ProgressBar(std::FILE* out);

  // Skipped if the last call that drew is too recent, unless the fraction is 1.
  void show(const BarState& state);
  // Prints a line above the bar.
  void print_line(const std::string& line);
  // Ends the line of the bar.
  void finish();

 private:
  std::FILE* out_;
  bool is_terminal_;
  bool is_open_ = false;  // the cursor is behind the bar
  std::chrono::steady_clock::time_point last_{};
};

// Shows the fraction of one operation that is done, and the time left by its mean speed so far. The
// operation begins with the first call; its first second is not shown.
//
//   watch.progressed = FractionDone(bar, "final evaluation");
//
// A copy continues the same operation. Not thread-safe.
class FractionDone {
 public:
  // REQUIRES: `bar` outlives this object.
  FractionDone(ProgressBar& bar, std::string text) : bar_(&bar), text_(std::move(text)) {}

  void operator()(double fraction);

 private:
  ProgressBar* bar_;
  std::string text_;
  std::optional<std::chrono::steady_clock::time_point> started_;
};

}  // namespace plr::terminal

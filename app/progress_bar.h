// How far is it, and how long will it take?
//
// On a terminal one line that is drawn over and over; elsewhere a plain line now and then, so that
// a log stays readable.
//
//   ProgressBar bar(stderr);
//   bar.show({.fraction = 0.25, .seconds_left = 90, .text = "12.3k steps/s"});
//   bar.finish();
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace plr::app {

struct BarState {
  double fraction = 0;  // 0..1
  double seconds_left = 0;
  std::string text;
};

class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* out);

  // May leave it out if the last one is very recent; the one at 1 is always shown.
  void show(const BarState& state);
  // A line of its own, above the bar.
  void say(const std::string& line);
  // Ends the line.
  void finish();

 private:
  std::FILE* out_;
  bool is_terminal_;
  bool is_open_ = false;  // a line has been begun
  std::chrono::steady_clock::time_point last_{};
};

// 950, 12.3k, 4.56M.
std::string short_number(double number);
// 0:07, 12:34, 3:05:00.
std::string clock_text(double seconds);

}  // namespace plr::app

// How does a figure get into a paper or a README?
//
// As SVG: lines with bands, axes with round numbers, and a legend below.  For figures that do not
// move; the page has a charting library.
//
//   write_text("test.svg", svg_chart({.title = "DoorKey", .y_label = "test return", .x = steps,
//                                     .lines = {{"plr", mean, deviation}}}));
#pragma once

#include <string>
#include <vector>

namespace plr::report {

struct ChartLine {
  std::string name;
  std::vector<double> y;     // [point]; NaN is left out
  std::vector<double> band;  // [point], drawn above and below
};

struct Chart {
  std::string title;
  std::string x_label = "environment steps";
  std::string y_label;
  std::vector<double> x;  // [point], increasing
  std::vector<ChartLine> lines;
};

std::string svg_chart(const Chart& chart);

// The colour of the i-th method everywhere: told apart by people who see few colours too.
std::string method_color(std::size_t i);

// Round numbers from about `low` to about `high`, a handful of them.
std::vector<double> round_ticks(double low, double high);

// 0.25, 1.5k, 25M.
std::string tick_text(double value);

}  // namespace plr::report

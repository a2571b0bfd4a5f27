// Line charts as SVG, for papers and READMEs: lines with bands, axes with round ticks, a legend
// below. The page's charts are drawn by its own library.
//
//   write_text("test.svg", svg_chart({.title = "DoorKey", .y_label = "test return", .x = steps,
//                                     .lines = {{"plr", mean, deviation}}}));
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plr::report {

struct ChartLine {
  std::string name;
  std::vector<double> y;           // [point]; NaN leaves a gap
  std::vector<double> band;        // [point], the height of the band above the line; empty: no band
  std::string marks = {};          // stars, shown at the end of the line and in the legend
  std::vector<double> below = {};  // [point], the height below the line; empty: as above
};

struct Chart {
  std::string title;
  std::string x_label = "environment steps";
  std::string y_label;
  std::vector<double> x;  // [point], increasing
  std::vector<ChartLine> lines;
  std::vector<std::string> x_names = {};  // [point], shown instead of the numbers; empty: numbers
  std::string note = {};  // what the marks mean; at the right of the title if any line has marks
};

std::string svg_chart(const Chart& chart);

// The color of the i-th method in all charts; colors repeat after kNumColors. Suitable for color
// blindness (Okabe and Ito).
inline constexpr std::size_t kNumColors = 8;
std::string method_color(std::size_t i);

// About five round numbers from `low` to `high`. REQUIRES: `low` is below `high`.
std::vector<double> round_ticks(double low, double high);

}  // namespace plr::report

#include "plr/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plr/report/tables.h"

namespace plr::report {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 400;
constexpr double kLeft = 64;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 84;
constexpr double kLegendRow = 20;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Where values come to lie on the picture.
struct Frame {
  Range x;
  Range y;
  double left_of(double value) const {
    return kLeft + (value - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight);
  }
  double top_of(double value) const {
    return kHeight - kBottom - (value - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
  std::string point(double a, double b) const {
    return fmt::format("{:.1f},{:.1f} ", left_of(a), top_of(b));
  }
};

double band_at(const ChartLine& line, std::size_t i) {
  return i < line.band.size() ? line.band[i] : 0;
}

Frame frame_of(const Chart& chart) {
  Frame frame;
  for (const double x : chart.x) frame.x.add(x);
  for (const ChartLine& line : chart.lines) {
    for (std::size_t i = 0; i < line.y.size(); ++i) {
      if (std::isnan(line.y[i])) continue;
      frame.y.add(line.y[i] - band_at(line, i));
      frame.y.add(line.y[i] + band_at(line, i));
    }
  }
  for (Range* range : {&frame.x, &frame.y}) {
    if (range->low > range->high) *range = {0, 1};
    // What differs in the last bits only is one number.
    const double size = std::max(std::abs(range->low), std::abs(range->high));
    if (range->high - range->low <= 1e-9 * size) *range = {range->low - 0.5, range->high + 0.5};
  }
  return frame;
}

std::string axes_of(const Chart& chart, const Frame& frame) {
  std::string svg;
  const double bottom = kHeight - kBottom;
  for (const double tick : round_ticks(frame.y.low, frame.y.high)) {
    const double y = frame.top_of(tick);
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                       kLeft, kWidth - kRight, y, y);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
                       y + 4, tick_text(tick));
  }
  for (const double tick : round_ticks(frame.x.low, frame.x.high)) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       frame.left_of(tick), bottom + 18, tick_text(tick));
  }
  svg += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n", kLeft,
                     kWidth - kRight, bottom);
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, bottom + 38, html_escaped(chart.x_label));
  svg += fmt::format(
      "<text transform=\"translate(16,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (kTop + bottom) / 2, html_escaped(chart.y_label));
  return svg;
}

// A piece of a line between gaps, with its band.
std::string piece_of(const Chart& chart, const Frame& frame, const ChartLine& line,
                     const std::string& color, std::size_t begin, std::size_t end) {
  std::string upper;
  std::string lower;
  std::string middle;
  for (std::size_t i = begin; i < end; ++i) {
    upper += frame.point(chart.x[i], line.y[i] + band_at(line, i));
    middle += frame.point(chart.x[i], line.y[i]);
    const std::size_t back = end - 1 - (i - begin);
    lower += frame.point(chart.x[back], line.y[back] - band_at(line, back));
  }
  return fmt::format(
      "<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"0.18\"/>"
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
      upper, lower, color, middle, color);
}

std::string line_of(const Chart& chart, const Frame& frame, const ChartLine& line,
                    const std::string& color) {
  std::string svg;
  for (std::size_t begin = 0; begin < line.y.size();) {
    std::size_t end = begin;
    while (end < line.y.size() && !std::isnan(line.y[end])) ++end;
    if (end > begin) svg += piece_of(chart, frame, line, color, begin, end);
    begin = end + 1;
  }
  return svg;
}

// Where each name stands below the picture: side by side, in as many rows as they need.
struct Place {
  double x = kLeft;
  int row = 0;
};

std::vector<Place> legend_places(const Chart& chart) {
  std::vector<Place> places;
  Place next;
  for (const ChartLine& line : chart.lines) {
    const double width = 44 + 7.2 * static_cast<double>(line.name.size());  // of letters, about
    if (next.x > kLeft && next.x + width > kWidth) next = {kLeft, next.row + 1};
    places.push_back(next);
    next.x += width;
  }
  return places;
}

std::string legend_of(const Chart& chart) {
  std::string svg;
  const std::vector<Place> places = legend_places(chart);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const double y = kHeight - 22 + kLegendRow * places[i].row;
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{}\" width=\"18\" height=\"4\" fill=\"{}\"/>"
        "<text x=\"{:.0f}\" y=\"{}\">{}</text>\n",
        places[i].x, y, method_color(i), places[i].x + 24, y + 7,
        html_escaped(chart.lines[i].name));
  }
  return svg;
}

}  // namespace

std::string svg_chart(const Chart& chart) {
  const Frame frame = frame_of(chart);
  const std::vector<Place> places = legend_places(chart);
  const double height = kHeight + kLegendRow * (places.empty() ? 0 : places.back().row);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#333\">\n"
      "<style>.grid{{stroke:#ddd}}.axis{{stroke:#333}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{3}</text>\n",
      kWidth, height, kLeft, html_escaped(chart.title));
  svg += axes_of(chart, frame);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    svg += line_of(chart, frame, chart.lines[i], method_color(i));
  }
  return svg + legend_of(chart) + "</svg>\n";
}

std::string method_color(std::size_t i) {
  // Okabe and Ito's, which people with any kind of colour blindness can tell apart.
  constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                  "#e69f00", "#56b4e9", "#8c6d31", "#7b6888"};
  return kColors[i % kColors.size()];
}

std::vector<double> round_ticks(double low, double high) {
  const double rough = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double size = rough / power;  // from 1 to 10
  const double step = power * (size < 1.5 ? 1 : size < 3.5 ? 2 : size < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    ticks.push_back(i * step);
  }
  return ticks;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.6g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.6g}k", value / 1e3);
  return fmt::format("{:.6g}", size < 1e-12 ? 0 : value);
}

}  // namespace plr::report

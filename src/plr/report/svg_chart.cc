#include "plr/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plr/report/escaping.h"
#include "plr/report/number_format.h"

namespace plr::report {
namespace {

// Lengths in pixels. The margins surround the plot area.
constexpr double kWidth = 720;
constexpr double kHeight = 400;  // with one row of the legend
constexpr double kLeft = 64;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 84;
constexpr double kTitleY = 24;
constexpr double kMarksAbove = 6;  // from a line's last point to the baseline of its marks
constexpr double kYLabelX = 16;
// Below the plot area.
constexpr double kXTicksBelow = 18;
constexpr double kXLabelBelow = 38;
// From the end of a tick to its text, and from its middle to the baseline of the text.
constexpr double kYTickGap = 8;
constexpr double kYTickDown = 4;
// The legend: a bar of the line's color, then its name.
constexpr double kLegendAboveBottom = 22;
constexpr double kLegendRow = 20;
constexpr double kLegendBarWidth = 18;
constexpr double kLegendBarHeight = 4;
constexpr double kLegendNameX = 24;
constexpr double kLegendNameDown = 7;
constexpr double kLegendEntryWidth = 44;    // without the letters of the name
constexpr double kLegendLetterWidth = 7.2;  // about

constexpr double kBandOpacity = 0.18;
constexpr double kTicksPerAxis = 5;  // about
// Values that differ by less, relative to their size, count as equal.
constexpr double kTolerance = 1e-9;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Maps values to pixels.
struct PlotArea {
  Range x;
  Range y;
  double x_pixel(double value) const {
    return kLeft + (value - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight);
  }
  double y_pixel(double value) const {
    return kHeight - kBottom - (value - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
  std::string point(double a, double b) const {
    return fmt::format("{:.1f},{:.1f} ", x_pixel(a), y_pixel(b));
  }
};

double band_above(const ChartLine& line, std::size_t i) {
  return i < line.band.size() ? line.band[i] : 0;
}

double band_below(const ChartLine& line, std::size_t i) {
  return i < line.below.size() ? line.below[i] : band_above(line, i);
}

PlotArea fit_plot_area(const Chart& chart) {
  PlotArea area;
  for (const double x : chart.x) area.x.add(x);
  for (const ChartLine& line : chart.lines) {
    for (std::size_t i = 0; i < line.y.size(); ++i) {
      if (std::isnan(line.y[i])) continue;
      area.y.add(line.y[i] - band_below(line, i));
      area.y.add(line.y[i] + band_above(line, i));
    }
  }
  for (Range* range : {&area.x, &area.y}) {
    if (range->low > range->high) *range = {0, 1};
    const double size = std::max(std::abs(range->low), std::abs(range->high));
    if (range->high - range->low <= kTolerance * size)
      *range = {range->low - 0.5, range->high + 0.5};
  }
  return area;
}

std::string draw_axes(const Chart& chart, const PlotArea& area) {
  std::string svg;
  const double bottom = kHeight - kBottom;
  for (const double tick : round_ticks(area.y.low, area.y.high)) {
    const double y = area.y_pixel(tick);
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                       kLeft, kWidth - kRight, y, y);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       kLeft - kYTickGap, y + kYTickDown, short_number(tick));
  }
  const auto draw_x_tick = [&](double tick, const std::string& text) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       area.x_pixel(tick), bottom + kXTicksBelow, html_escaped(text));
  };
  if (chart.x_names.empty()) {
    for (const double tick : round_ticks(area.x.low, area.x.high)) {
      draw_x_tick(tick, short_number(tick));
    }
  }
  for (std::size_t i = 0; i < chart.x_names.size(); ++i) draw_x_tick(chart.x[i], chart.x_names[i]);
  svg += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n", kLeft,
                     kWidth - kRight, bottom);
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, bottom + kXLabelBelow,
                     html_escaped(chart.x_label));
  svg += fmt::format(
      "<text transform=\"translate({},{}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      kYLabelX, (kTop + bottom) / 2, html_escaped(chart.y_label));
  return svg;
}

// The points [begin, end) of a line between two gaps, with their band.
std::string draw_segment(const Chart& chart, const PlotArea& area, const ChartLine& line,
                         const std::string& color, std::size_t begin, std::size_t end) {
  std::string upper;
  std::string lower;
  std::string middle;
  for (std::size_t i = begin; i < end; ++i) {
    upper += area.point(chart.x[i], line.y[i] + band_above(line, i));
    middle += area.point(chart.x[i], line.y[i]);
    const std::size_t back = end - 1 - (i - begin);
    lower += area.point(chart.x[back], line.y[back] - band_below(line, back));
  }
  return fmt::format(
      "<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"{}\"/>"
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
      upper, lower, color, kBandOpacity, middle, color);
}

std::string draw_line(const Chart& chart, const PlotArea& area, const ChartLine& line,
                      const std::string& color) {
  std::string svg;
  for (std::size_t begin = 0; begin < line.y.size();) {
    std::size_t end = begin;
    while (end < line.y.size() && !std::isnan(line.y[end])) ++end;
    if (end > begin) svg += draw_segment(chart, area, line, color, begin, end);
    begin = end + 1;
  }
  return svg;
}

// The marks of a line above its last point, in its color.
std::string draw_marks(const Chart& chart, const PlotArea& area, const ChartLine& line,
                       const std::string& color) {
  std::size_t last = line.y.size();
  while (last > 0 && std::isnan(line.y[last - 1])) --last;
  if (line.marks.empty() || last == 0) return "";
  return fmt::format(
      "<text class=\"marks\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n",
      area.x_pixel(chart.x[last - 1]), area.y_pixel(line.y[last - 1]) - kMarksAbove, color,
      line.marks);
}

// The name of a line in the legend.
std::string legend_name(const ChartLine& line) {
  return line.marks.empty() ? line.name : line.name + " " + line.marks;
}

// The left end of a legend entry. Entries that do not fit into a row continue in the next.
struct LegendPosition {
  double x = kLeft;
  int row = 0;
};

std::vector<LegendPosition> legend_positions(const Chart& chart) {
  std::vector<LegendPosition> positions;
  LegendPosition next;
  for (const ChartLine& line : chart.lines) {
    const double width =
        kLegendEntryWidth + kLegendLetterWidth * static_cast<double>(legend_name(line).size());
    if (next.x > kLeft && next.x + width > kWidth) next = {kLeft, next.row + 1};
    positions.push_back(next);
    next.x += width;
  }
  return positions;
}

std::string draw_legend(const Chart& chart) {
  std::string svg;
  const std::vector<LegendPosition> positions = legend_positions(chart);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const double y = kHeight - kLegendAboveBottom + kLegendRow * positions[i].row;
    svg += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>"
        "<text x=\"{:.0f}\" y=\"{}\">{}</text>\n",
        positions[i].x, y, kLegendBarWidth, kLegendBarHeight, method_color(i),
        positions[i].x + kLegendNameX, y + kLegendNameDown,
        html_escaped(legend_name(chart.lines[i])));
  }
  return svg;
}

}  // namespace

std::string svg_chart(const Chart& chart) {
  const PlotArea area = fit_plot_area(chart);
  const std::vector<LegendPosition> positions = legend_positions(chart);
  const double height = kHeight + kLegendRow * (positions.empty() ? 0 : positions.back().row);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#333\">\n"
      "<style>.grid{{stroke:#ddd}}.axis{{stroke:#333}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "<text x=\"{2}\" y=\"{3}\" font-size=\"15\" font-weight=\"600\">{4}</text>\n",
      kWidth, height, kLeft, kTitleY, html_escaped(chart.title));
  svg += draw_axes(chart, area);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    svg += draw_line(chart, area, chart.lines[i], method_color(i));
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    svg += draw_marks(chart, area, chart.lines[i], method_color(i));
  }
  const bool has_marks = std::any_of(chart.lines.begin(), chart.lines.end(),
                                     [](const ChartLine& line) { return !line.marks.empty(); });
  if (has_marks && !chart.note.empty()) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"12\">{}</text>\n",
                       kWidth - kRight, kTitleY, html_escaped(chart.note));
  }
  return svg + draw_legend(chart) + "</svg>\n";
}

std::string method_color(std::size_t i) {
  constexpr std::array<const char*, kNumColors> kColors = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7b6888"};
  return kColors[i % kColors.size()];
}

std::vector<double> round_ticks(double low, double high) {
  const double rough = (high - low) / kTicksPerAxis;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double size = rough / power;  // in [1, 10)
  const double step = power * (size < 1.5 ? 1 : size < 3.5 ? 2 : size < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - kTolerance); i * step <= high + kTolerance * step; ++i) {
    ticks.push_back(i * step);
  }
  return ticks;
}

}  // namespace plr::report

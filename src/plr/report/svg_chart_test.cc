#include "plr/report/svg_chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plr::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t total = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++total;
  return total;
}

TEST(SvgChart, DrawsALineWithItsBandForEachMethod) {
  const std::string svg =
      svg_chart({.title = "a < b",
                 .y_label = "return",
                 .x = {0, 1, 2},
                 .lines = {{"plr", {0, 1, 2}, {1, 1, 1}}, {"uniform", {0, 0, 0}, {}}}});
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "<polygon"), 2U);
  EXPECT_EQ(count(svg, "a &lt; b"), 1U);
  EXPECT_EQ(count(svg, ">uniform<"), 1U);
}

TEST(SvgChart, LeavesAGapForNan) {
  const std::string svg = svg_chart(
      {.title = "", .y_label = "", .x = {0, 1, 2, 3}, .lines = {{"a", {0, 1, NAN, 2}, {}}}});
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "nan"), 0U);
}

TEST(SvgChart, ShowsMarksAtTheLineAndInTheLegend) {
  Chart chart{.title = "",
              .y_label = "",
              .x = {0, 1, 2},
              .lines = {{"plr", {0, 1, NAN}, {}, "★▲"}, {"uniform", {0, 0, 0}, {}}},
              .note = "★ final"};
  const std::string svg = svg_chart(chart);
  EXPECT_EQ(count(svg, ">plr ★▲<"), 1U);
  EXPECT_EQ(count(svg, "class=\"marks\""), 1U);
  EXPECT_EQ(count(svg, ">★ final<"), 1U);
  chart.lines[0].marks = "";
  EXPECT_EQ(count(svg_chart(chart), "★"), 0U);
}

TEST(SvgChart, WithoutLinesHasFiniteCoordinates) {
  const std::string svg = svg_chart({.title = "empty", .y_label = "", .x = {}, .lines = {}});
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(SvgChart, NearlyEqualValuesHaveFewTicks) {
  const double third = 1.0 / 3;
  const std::string svg = svg_chart({.title = "",
                                     .y_label = "",
                                     .x = {0, 1},
                                     .lines = {{"a", {third, std::nextafter(third, 1.0)}, {}}}});
  EXPECT_LT(count(svg, "class=\"grid\""), 10U);
}

TEST(SvgChart, LegendContinuesInTheNextRow) {
  const std::string name(60, 'x');
  const auto draw = [&](std::vector<ChartLine> lines) {
    return svg_chart({.title = "", .y_label = "", .x = {0, 1}, .lines = std::move(lines)});
  };
  const ChartLine line{name, {0, 1}, {}};
  EXPECT_EQ(count(draw({line}), "height=\"400\""), 2U);  // the image and its background
  EXPECT_EQ(count(draw({line, line, line}), "height=\"440\""), 2U);
  EXPECT_EQ(count(draw({{"a", {0, 1}, {}}, {"b", {0, 1}, {}}}), "height=\"400\""), 2U);
}

TEST(Ticks, AreRoundAndInTheRange) {
  EXPECT_EQ(round_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(round_ticks(3, 26), (std::vector<double>{5, 10, 15, 20, 25}));
  EXPECT_EQ(round_ticks(0, 1.02).size(), 6U);  // in steps of 0.2 as well
}

}  // namespace
}  // namespace plr::report

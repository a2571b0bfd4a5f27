#include "plr/base/fields.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/support/error_message.h"

namespace plr {
namespace {

enum class Color { kRed, kGreen };
constexpr std::array<std::string_view, 2> enum_names(Color) { return {"red", "green"}; }

struct InnerConfig {
  bool enabled = false;
  static constexpr Field kEnabled{&InnerConfig::enabled, "enabled", "whether it is on"};

  static constexpr std::tuple kFields{kEnabled};
};

struct OuterConfig {
  double rate = 0.5;
  static constexpr Field kRate{&OuterConfig::rate, "rate", above_to(0, 1), "a rate"};

  InnerConfig inner = {};

  Color color = Color::kRed;
  static constexpr Field kColor =
      Field{&OuterConfig::color, "color", "a color"}.released(Color::kGreen);

  std::string text = "x";
  static constexpr Field kText{&OuterConfig::text, "text", "a text"};

  static constexpr std::tuple kFields{kRate, Nested{&OuterConfig::inner}, kColor, kText};
};

TEST(Fields, AreVisitedInTheOrderOfTheListWithThoseOfNestedConfigs) {
  std::vector<std::string> names;
  OuterConfig config;
  visit_fields(config, [&](std::string_view name, auto&, const Bounds&, std::string_view) {
    names.emplace_back(name);
  });
  EXPECT_EQ(names, (std::vector<std::string>{"rate", "enabled", "color", "text"}));
}

TEST(Fields, HaveTextsOfAllTheirValues) {
  EXPECT_EQ(fields_text(OuterConfig{}), "rate = 0.5\nenabled = false\ncolor = red\ntext = x\n");
}

TEST(Fields, AreSetByTheirNames) {
  OuterConfig config;
  EXPECT_TRUE(set_field(config, "rate", "0.25"));
  EXPECT_TRUE(set_field(config, "enabled", "true"));
  EXPECT_TRUE(set_field(config, "color", "green"));
  EXPECT_TRUE(set_field(config, "text", "a b"));
  EXPECT_FALSE(set_field(config, "colour", "green"));
  EXPECT_EQ(fields_text(config), "rate = 0.25\nenabled = true\ncolor = green\ntext = a b\n");
}

TEST(Fields, RefuseValuesOutOfBounds) {
  OuterConfig config{.rate = 2};
  EXPECT_EQ(invalid_argument_of([&] { check_fields(config); }),
            "rate must be above 0 and at most 1, not 2");
  EXPECT_EQ(invalid_argument_of([&] { set_field(config, "rate", "-1"); }),
            "rate must be above 0 and at most 1, not -1");
  EXPECT_EQ(invalid_argument_of([&] { set_field(config, "rate", "half"); }),
            "rate must be a number, not half");
  EXPECT_EQ(config.rate, 2);
}

TEST(Fields, RefuseUnknownEnumerators) {
  OuterConfig config;
  EXPECT_EQ(invalid_argument_of([&] { set_field(config, "color", "blue"); }),
            "color must be one of red, green, not blue");
}

TEST(Fields, KnowTheirDefaultsAndReleasedValues) {
  EXPECT_EQ(OuterConfig::kColor.default_value(), Color::kRed);
  EXPECT_EQ(OuterConfig::kColor.released(), Color::kGreen);
  EXPECT_FALSE(OuterConfig::kColor.paper());
  EXPECT_FALSE(OuterConfig::kRate.released());
}

TEST(Fields, ReadWholeNumbersWithExponentsAndSuffixes) {
  const auto read = [](const std::string& text) {
    std::int64_t value = 0;
    parse_value("steps", text, value);
    return value;
  };
  EXPECT_EQ(read("3e6"), 3'000'000);
  EXPECT_EQ(read("3M"), 3'000'000);
  EXPECT_EQ(read("1.5M"), 1'500'000);
  EXPECT_EQ(read("500k"), 500'000);
  EXPECT_EQ(read("4.1M"), 4'100'000);  // 4.1 * 1e6 is below it in floats
  EXPECT_EQ(read("2G"), 2'000'000'000);
  EXPECT_EQ(read("9223372036854775807"), 9223372036854775807);  // no detour by a double
  for (int hundredths = 1; hundredths < 100'000; ++hundredths) {
    const std::string digits = std::to_string(1'000'000 + hundredths);
    const std::string text = digits.substr(1, 4) + "." + digits.substr(5);
    EXPECT_EQ(read(text + "k"), 10 * hundredths) << text;
    EXPECT_EQ(read(text + "G"), 10'000'000LL * hundredths) << text;
  }
  for (const std::string text :
       {"1.5", "1.0005k", "k", "M3", "3m", "3 M", "1e400", "1e16", "nan", "inf", "-3M", "3e6x"}) {
    EXPECT_THROW(read(text), std::invalid_argument) << text;
  }
  int small = 0;
  EXPECT_THROW(parse_value("epochs", "3G", small), std::invalid_argument);
}

TEST(Bounds, ContainNoInfinities) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(any_value().contains(infinity));
  EXPECT_FALSE(at_least(0).contains(infinity));
  EXPECT_FALSE(any_value().contains(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace plr

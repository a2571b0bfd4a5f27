#include "plr/run/settings_file.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/error_message.h"

namespace plr::run {
namespace {

using Values = std::map<std::string, std::string>;

Values values_of(const std::string& toml) {
  Values values;
  for (const Setting& setting : parse_flat_settings(toml, "file")) {
    values[setting.name] = setting.value;
  }
  return values;
}

std::string message(const std::string& toml) {
  return invalid_argument_of([&] { parse_flat_settings(toml, "file"); });
}

TEST(SettingsFile, HasSectionsListsAndComments) {
  const std::vector<ParsedSetting> settings = parse_settings(
      "envs = [\"a/b\",  # the first\n"
      "        \"c d\"]\n"
      "\n"
      "[sweep.one]  \n"
      "beta = 0.1  # a number\n",
      "file");
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0].section, "");
  EXPECT_EQ(settings[0].name, "envs");
  EXPECT_EQ(settings[0].values, (std::vector<std::string>{"a/b", "c d"}));
  EXPECT_EQ(settings[1].section, "sweep.one");
  EXPECT_EQ(settings[1].values, std::vector<std::string>{"0.1"});
  EXPECT_EQ(settings[0].place, "file:1");
  EXPECT_EQ(settings[1].place, "file:5");
}

TEST(SettingsFile, KeepsTheOrderOfTheFile) {
  std::string names;
  for (const ParsedSetting& setting :
       parse_settings("z = 1\na = 2\n[variant.y]\nc = 3\nb = 4\n[variant.x]\nd = 5\n", "file")) {
    names += setting.section + "/" + setting.name + " ";
  }
  EXPECT_EQ(names, "/z /a variant.y/c variant.y/b variant.x/d ");
}

// Run names are made of the values of a sweep: another spelling would be another folder.
TEST(SettingsFile, KeepsTheSpellingOfNumbers) {
  EXPECT_EQ(parse_settings("a = [0.1, 1.0, 1e-05,1E3, -2,+3, 5e-05]  # 7\n", "file")[0].values,
            (std::vector<std::string>{"0.1", "1.0", "1e-05", "1E3", "-2", "+3", "5e-05"}));
  EXPECT_EQ(parse_settings("a = [\"ř\", 1.50, 'ž', 2]\n", "file")[0].values,
            (std::vector<std::string>{"ř", "1.50", "ž", "2"}));
  EXPECT_EQ(values_of("a = 1_000\r\nb = inf\r\nc = true\r\nd = 3"),
            (Values{{"a", "1000"}, {"b", "inf"}, {"c", "true"}, {"d", "3"}}));
}

TEST(SettingsFile, ReadsUnsignedNumbersThatAreTooLargeForToml) {
  EXPECT_EQ(values_of("seed = 18446744073709551615  # 2^64 - 1\nb = 1\n"),
            (Values{{"seed", "18446744073709551615"}, {"b", "1"}}));
  EXPECT_EQ(
      parse_settings("seeds = [1, 9223372036854775808, 9223372036854775809]", "file")[0].values,
      (std::vector<std::string>{"1", "9223372036854775808", "9223372036854775809"}));
  EXPECT_EQ(values_of("seed = 9223372036854775807\n").at("seed"), "9223372036854775807");
  EXPECT_TRUE(message("a = 1\nseed = 18446744073709551616\n").starts_with("file:2:"));
}

TEST(SettingsFile, ReadsBackAnyTextInQuotes) {
  for (const std::string text :
       {"", "a # b", "c#x/lv.txt", "a \"b\" c", "back\\slash", "ends\\", "two\nlines\r\tof it",
        "[a, b]", "a = b", "it's", "Jiří", "\x01"}) {
    EXPECT_EQ(values_of("a = " + toml_string(text) + "  # it's \"one\"\nb = 1\n"),
              (Values{{"a", text}, {"b", "1"}}));
  }
  EXPECT_EQ(values_of("a = 'as \\it #is\\'\n").at("a"), "as \\it #is\\");
  EXPECT_EQ(values_of("\xef\xbb\xbf"
                      "a = \"b\"\r\n")
                .at("a"),
            "b");
  EXPECT_THROW(toml_string("\xff"), std::invalid_argument);
}

// Lines of a config.toml as the first version wrote them.
TEST(SettingsFile, ReadsTheSettingsOfExistingRuns) {
  EXPECT_EQ(
      values_of(
          "# Every setting of this run: plr train --config with this file repeats it.\n"
          "\n"
          "# What is played\n"
          "env = \"minigrid/MultiRoom-N4-Random\"  # what is played; plr envs lists them all\n"
          "levels = \"100-299\"  # the training set: a number of levels, a range as 100-299\n"
          "steps = 100000000  # environment steps in all, rounded down to whole updates\n"
          "learning_rate = 0.0007  # of Adam\n"
          "adam_epsilon = 1e-05  # of Adam\n"
          "pool = false  # MiniGrid's max-pool after the first one (E4)\n"
          "buffer_size = 0  # of a stream\n"),
      (Values{{"env", "minigrid/MultiRoom-N4-Random"},
              {"levels", "100-299"},
              {"steps", "100000000"},
              {"learning_rate", "0.0007"},
              {"adam_epsilon", "1e-05"},
              {"pool", "false"},
              {"buffer_size", "0"}}));
}

TEST(SettingsFile, NamesLineAndColumnOfAnError) {
  EXPECT_TRUE(message("a = 1\nb = = 2\n").starts_with("file:2:5: ")) << message("a = 1\nb = = 2\n");
  EXPECT_TRUE(message("a = plr\n").starts_with("file:1:")) << message("a = plr\n");
  EXPECT_TRUE(message("[v]\na = 1\n[v]\nb = 1\n").starts_with("file:3:"));
  EXPECT_EQ(message("b = 1\na = 2024-01-01\n"),
            "file:2:5: a value must be a string, a number, true or false");
}

TEST(SettingsFile, NamesTheLineOfASettingThatIsGivenTwice) {
  const std::string twice = message("a = 1\nb = 2\n\na = 3\n");
  EXPECT_TRUE(twice.starts_with("file:4:")) << twice;
}

TEST(SettingsFile, NamesTheLineOfASettingThatARunCannotHave) {
  EXPECT_EQ(message("b = 1\na = [1,\n2]\n"), "file:2: a must be one value");
  EXPECT_EQ(message("a = []\n"), "file:1: a must be one value");
  EXPECT_EQ(message("b = 1\n[part]\na = 1\n"), "file:3: settings of a run have no sections");
}

TEST(SettingsFile, PutsThePlaceInFrontOfAnError) {
  EXPECT_EQ(invalid_argument_of([] {
              with_place("file:7", [] { throw std::invalid_argument("a must be 1, not 2"); });
            }),
            "file:7: a must be 1, not 2");
}

TEST(SettingsFile, RefusesASectionWithoutANameOnItsLine) {
  const std::string error = invalid_argument_of([] { parse_settings("[\nsteps = 1\n", "a.toml"); });
  EXPECT_TRUE(error.starts_with("a.toml:")) << error;
}

TEST(SettingsFile, ReadsManyLargeSeeds) {
  std::string list = "18446744073709551615";
  for (int i = 0; i < 500; ++i) list += ", 18446744073709551615";
  const std::vector<ParsedSetting> settings = parse_settings("seeds = [" + list + "]\n", "a.toml");
  EXPECT_EQ(settings.at(0).values.size(), 501U);
  EXPECT_EQ(settings.at(0).values.back(), "18446744073709551615");
}

// toml++ 3.4.0 took these characters for unreachable ones.
TEST(SettingsFile, RefusesCharactersNearTheByteOrderMark) {
  for (const char* text : {"a = [\xef\xb4\xbf]",
                           "\xef\xbb\xbe"
                           "a = 1"}) {
    EXPECT_THROW(parse_settings(text, "a.toml"), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace plr::run

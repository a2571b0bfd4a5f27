#include "plr/run/settings_file.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

namespace plr::run {
namespace {

TEST(SettingsFile, HasSectionsListsAndComments) {
  const std::vector<SettingLine> lines = lines_of_toml(
      "envs = [\"a/b\",  # the first\n"
      "        \"c d\"]\n"
      "\n"
      "[sweep.one]  \n"
      "beta = 0.1  # a number\n",
      "file");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].section, "");
  EXPECT_EQ(lines[0].name, "envs");
  EXPECT_EQ(lines[0].values, (std::vector<std::string>{"a/b", "c d"}));
  EXPECT_EQ(lines[1].section, "sweep.one");
  EXPECT_EQ(lines[1].values, std::vector<std::string>{"0.1"});
}

TEST(SettingsFile, KeepsAnyTextBetweenQuotes) {
  for (const std::string text : {"", "a # b", "c#x/lv.txt", "a \"b\" c", "back\\slash", "ends\\",
                                 "two\nlines\r\tof it", "[a, b]", "a = b", "it's", "Jiří"}) {
    EXPECT_EQ(values_of_toml("a = " + toml_text(text) + "  # it's \"one\"\nb = 1\n", "file"),
              (std::map<std::string, std::string>{{"a", text}, {"b", "1"}}));
  }
  EXPECT_EQ(values_of_toml("a = \x01"
                           "7\x02\n",
                           "file")
                .at("a"),
            "7");
  EXPECT_EQ(values_of_toml("a = 'as \\it #is\\'\n", "file").at("a"), "as \\it #is\\");
  EXPECT_EQ(values_of_toml("\xef\xbb\xbf"
                           "a = \"b\"\r\n",
                           "file")
                .at("a"),
            "b");
}

TEST(SettingsFile, OfARunHasOneValuePerName) {
  EXPECT_EQ(values_of_toml("a = 1\nb = \"two\"\n", "file").at("b"), "two");
  EXPECT_THROW(values_of_toml("a = [1, 2]\n", "file"), std::invalid_argument);
  EXPECT_THROW(values_of_toml("[part]\na = 1\n", "file"), std::invalid_argument);
}

}  // namespace
}  // namespace plr::run

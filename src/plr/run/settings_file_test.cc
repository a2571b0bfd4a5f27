#include "plr/run/settings_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace plr {
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

TEST(SettingsFile, OfARunHasOneValuePerName) {
  EXPECT_EQ(values_of_toml("a = 1\nb = \"two\"\n", "file").at("b"), "two");
  EXPECT_THROW(values_of_toml("a = [1, 2]\n", "file"), std::invalid_argument);
  EXPECT_THROW(values_of_toml("[part]\na = 1\n", "file"), std::invalid_argument);
}

}  // namespace
}  // namespace plr

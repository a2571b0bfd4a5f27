#include "plr/reference/codes.h"

#include <gtest/gtest.h>

#include <set>

namespace plr::reference {
namespace {

TEST(Codes, HaveTheRowOfTheirTable) {
  const std::optional<Code> code = find_code("D6");
  ASSERT_TRUE(code);
  EXPECT_EQ(code->name, "D6");
  ASSERT_EQ(code->cells.size(), 4);
  EXPECT_EQ(code->cells[0].heading, "topic");
  EXPECT_EQ(code->cells[0].text, "episodes across rollouts");
  EXPECT_EQ(code->cells[3].heading, "released code");
}

TEST(Codes, MayShareARow) {
  ASSERT_TRUE(find_code("D13"));
  EXPECT_EQ(find_code("D13")->name, "D12, D13");
  EXPECT_FALSE(find_code("D1, D2"));
  EXPECT_FALSE(find_code("D"));
  EXPECT_FALSE(find_code("D99"));
}

TEST(Codes, KeepBarsBetweenBackticks) {
  EXPECT_NE(find_code("F2")->cells[1].text.find("`|Q|`"), std::string::npos);
}

TEST(Codes, AreUniqueAndExplained) {
  std::set<std::string> names;
  for (const Code& code : codes()) {
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
    EXPECT_GE(code.cells.size(), 2) << code.name;
  }
  EXPECT_GT(names.size(), 40);
}

TEST(Codes, BecomeLinksInATextIfTheyExist) {
  EXPECT_EQ(linked_codes("pieces (D6), E4 and D99"),
            "pieces ([D6](../algorithm.md#d6)), [E4](../algorithm.md#e4) and D99");
  EXPECT_EQ(linked_codes("D6"), "[D6](../algorithm.md#d6)");
  EXPECT_EQ(linked_codes("AD6 none"), "AD6 none");
}

}  // namespace
}  // namespace plr::reference

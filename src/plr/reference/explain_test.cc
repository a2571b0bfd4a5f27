#include "plr/reference/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plr::reference {
namespace {

bool explains(const std::string& word, const std::string& part) {
  const std::optional<std::string> text = explain(word);
  return text && text->find(part) != std::string::npos;
}

TEST(Explain, DescribesASettingWithValuesAndDefault) {
  EXPECT_EQ(explain("temperature"),
            "temperature (a setting, Level replay): beta: lower values prefer the highest scores "
            "more\n  values: number, above 0\n  default: 0.1\n");
  EXPECT_EQ(explain("--temperature"), explain("temperature"));
  EXPECT_EQ(explain("staleness-coef"), explain("staleness_coef"));
}

TEST(Explain, NamesTheValuesOfThePaperAndOfTheReleasedCode) {
  EXPECT_TRUE(explains("open_episodes", "  in the paper: stitch\n"));
  EXPECT_TRUE(explains("warmup_fraction", "  in the released code: 1\n"));
}

TEST(Explain, DescribesValuesPresetsFilesLinesAndCodes) {
  EXPECT_TRUE(explains("min_margin", "a value of score_function"));
  EXPECT_TRUE(explains("maze-accel", "num_edits = 5"));
  EXPECT_TRUE(explains("eval.jsonl", "test_levels[].solved (whole number)"));
  EXPECT_TRUE(explains("[sweep]", "a line of an experiment file"));
  EXPECT_TRUE(explains("D6", "released code: `commit`"));
  EXPECT_EQ(explain("d6"), explain("D6"));
}

TEST(Explain, GivesEveryMeaningOfAWord) {
  EXPECT_TRUE(explains("rollout", "a value of score_update"));
  EXPECT_TRUE(explains("rollout", "a value of decide"));
}

TEST(Explain, HasNothingForUnknownWords) {
  EXPECT_FALSE(explain("temprature"));
  EXPECT_FALSE(explain(""));
}

TEST(Explain, KnowsEveryWordThatItLists) {
  const std::vector<std::string> words = known_words();
  EXPECT_GT(words.size(), 200);
  EXPECT_NE(std::ranges::find(words, "D13"), words.end());
  for (const std::string& word : {words.front(), words[words.size() / 2], words.back()}) {
    EXPECT_TRUE(explain(word)) << word;
  }
}

}  // namespace
}  // namespace plr::reference

#include "plr/report/cvar.h"

#include <gtest/gtest.h>

#include <vector>

namespace plr::report {
namespace {

// Success rates in A: 1, 0.5, 0, 0.5; in B: 0.9, 0.2, 0.1, 0.4.
const std::vector<run::CvarRow> kLevels = {
    {.level = 5, .episodes_a = 10, .successes_a = 10, .episodes_b = 10, .successes_b = 9},
    {.level = 6, .episodes_a = 12, .successes_a = 6, .episodes_b = 20, .successes_b = 4},
    {.level = 7, .episodes_a = 10, .successes_a = 0, .episodes_b = 10, .successes_b = 1},
    {.level = 8, .episodes_a = 10, .successes_a = 5, .episodes_b = 10, .successes_b = 4}};

TEST(Cvar, SelectsByTheFirstEvaluationAndMeasuresInTheSecond) {
  EXPECT_DOUBLE_EQ(*cvar(kLevels, 0.25), 0.1);  // level 7
  // Level 6 has the rate of level 8 and is listed first.
  EXPECT_DOUBLE_EQ(*cvar(kLevels, 0.5), (0.1 + 0.2) / 2);
  EXPECT_DOUBLE_EQ(*cvar(kLevels, 0.75), (0.1 + 0.2 + 0.4) / 3);
  EXPECT_DOUBLE_EQ(*cvar(kLevels, 1), (0.1 + 0.2 + 0.4 + 0.9) / 4);
}

TEST(Cvar, TakesWholeLevels) {
  EXPECT_DOUBLE_EQ(*cvar(kLevels, 0.74), (0.1 + 0.2) / 2);  // floor(2.96)
  EXPECT_FALSE(cvar(kLevels, 0.24));                        // floor(0.96)
  EXPECT_FALSE(cvar({}, 1));
  // 0.29 * 100 is 28.999999999999996.
  std::vector<run::CvarRow> hundred(100);
  for (std::size_t i = 0; i < 100; ++i) {
    hundred[i] = {.level = i,
                  .episodes_a = 100,
                  .successes_a = static_cast<std::int64_t>(i),
                  .episodes_b = 100,
                  .successes_b = static_cast<std::int64_t>(i)};
  }
  EXPECT_DOUBLE_EQ(*cvar(hundred, 0.29), 0.14);
}

TEST(Cvar, CountsALevelWithoutEpisodesAsFailed) {
  const std::vector<run::CvarRow> levels = {
      {.level = 1, .episodes_a = 2, .successes_a = 1, .episodes_b = 2, .successes_b = 2},
      {.level = 2}};
  EXPECT_EQ(*cvar(levels, 0.5), 0);
  EXPECT_EQ(*cvar(levels, 1), 0.5);
}

}  // namespace
}  // namespace plr::report

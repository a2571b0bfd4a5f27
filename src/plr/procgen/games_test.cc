#include "plr/procgen/games.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace plr::procgen {
namespace {

TEST(Games, AreSixteenInFortyTwoVariants) {
  EXPECT_EQ(games().size(), 16U);
  std::set<std::string> names;
  for (const Variant& variant : variants()) names.insert(variant.env_name());
  // 16 easy, 16 hard, 4 extreme, 6 memory.
  EXPECT_EQ(names.size(), 16U + 16U + 4U + 6U);
  EXPECT_EQ(variants().size(), names.size());
}

TEST(Games, AreFoundByEnvironmentName) {
  for (const Variant& variant : variants()) {
    const auto found = find_variant(variant.env_name());
    ASSERT_TRUE(found) << variant.env_name();
    EXPECT_EQ(found->game, variant.game);
    EXPECT_EQ(found->mode, variant.mode);
  }
  EXPECT_EQ(find_variant("procgen/bigfish")->mode, Mode::kEasy);
  EXPECT_EQ(find_variant("procgen/starpilot-extreme")->mode, Mode::kExtreme);
  EXPECT_FALSE(find_variant("procgen/bigfsh"));
  EXPECT_FALSE(find_variant("bigfish"));
  EXPECT_FALSE(find_variant("procgen/"));
}

TEST(Games, RefuseUnknownModes) {
  EXPECT_THROW(find_variant("procgen/bigfish-memory"), std::invalid_argument);
  EXPECT_THROW(find_variant("procgen/bigfish-easy"), std::invalid_argument);
  EXPECT_THROW(find_variant("procgen/bigfish-"), std::invalid_argument);
}

TEST(Games, HaveReturnRangesInEasyAndHardMode) {
  EXPECT_EQ(find_variant("procgen/fruitbot")->returns()->low, -1.5);
  EXPECT_EQ(find_variant("procgen/fruitbot-hard")->returns()->high, 27.2);
  EXPECT_FALSE(find_variant("procgen/maze-memory")->returns());
  for (const Game& game : games()) {
    EXPECT_LT(game.easy.low, game.easy.high) << game.name;
    EXPECT_LT(game.hard.low, game.hard.high) << game.name;
  }
}

}  // namespace
}  // namespace plr::procgen

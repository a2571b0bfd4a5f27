#include "plr/viewer/level_gallery.h"

#include <gtest/gtest.h>

#include "plr/catalog/make_env.h"

namespace plr::viewer {
namespace {

using terminal::Colors;

LevelGallery gallery(const std::string& name, const std::vector<LevelId>& levels) {
  return LevelGallery(catalog::make_env(name, {.num_slots = 1}), {.tile_size = 8}, levels);
}

TEST(LevelGallery, PutsLevelsBesideEachOther) {
  const LevelGallery levels = gallery("minigrid/MiniGrid-Empty-5x5-v0", {7, 9});
  EXPECT_EQ(levels.title(), "minigrid/MiniGrid-Empty-5x5-v0: get to the green goal square");
  EXPECT_EQ(levels.text(Colors::kNone, 80),
            "\n"
            "seed 7  seed 9\n"
            "#####   #####\n"
            "#>  #   #>  #\n"
            "#   #   #   #\n"
            "#  G#   #  G#\n"
            "#####   #####\n");
}

TEST(LevelGallery, BeginsARowWhenALineIsFull) {
  const LevelGallery levels = gallery("minigrid/MiniGrid-Empty-5x5-v0", {7, 9});
  // A column is as wide as its caption and a gap of two: 8.
  EXPECT_EQ(levels.text(Colors::kNone, 15),
            "\nseed 7\n#####\n#>  #\n#   #\n#  G#\n#####\n"
            "\nseed 9\n#####\n#>  #\n#   #\n#  G#\n#####\n");
}

TEST(LevelGallery, CaptionsNameLevelsThatHaveNames) {
  const LevelGallery levels = gallery("maze/SmallCorridor", {0, 13});
  EXPECT_EQ(levels.pictures()[1].caption, "SmallCorridor/3, 3 of 6");  // 22 actions
}

TEST(LevelGallery, ListsMissionsThatDiffer) {
  const LevelGallery levels = gallery("minigrid/MiniGrid-Fetch-8x8-N3-v0", {0, 1});
  EXPECT_EQ(levels.title(), "minigrid/MiniGrid-Fetch-8x8-N3-v0");
  EXPECT_NE(levels.text(Colors::kNone, 80).find("\nseed 1: you must fetch a grey ball\n"),
            std::string::npos);
  EXPECT_TRUE(levels.pictures()[1].caption.starts_with("seed 1: you must"));
}

TEST(LevelGallery, CaptionsNameTheDifficulty) {
  const LevelGallery levels = gallery("minigrid/MultiRoom-N4-Random", {3});
  const std::vector<image::Captioned> pictures = levels.pictures();
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].caption, "seed 3, 4 of 4");
  EXPECT_EQ(pictures[0].image.width(), 14 * 8);
}

}  // namespace
}  // namespace plr::viewer

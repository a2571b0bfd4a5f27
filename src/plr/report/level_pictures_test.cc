#include "plr/report/level_pictures.h"

#include <gtest/gtest.h>

#include "plr/base/bytes.h"
#include "plr/base/files.h"
#include "plr/core/level_store.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

// 3 x 3 cells without walls, the goal in the last cell and the agent in the first (level_bytes.h).
const std::vector<std::byte> kLevel = {std::byte{3}, std::byte{3}, std::byte{0},
                                       std::byte{0}, std::byte{8}, std::byte{0},
                                       std::byte{0}, std::byte{0}, std::byte{0}};

// A run whose records alternate between a seed and an edited level.
RunData maze_run(int num_records) {
  RunData run;
  run.settings = {{"env", "maze/random-25"}};
  const LevelId edited = LevelStore().add(kLevel);
  for (int i = 0; i < num_records; ++i) {
    LevelsRecord& record = run.curriculum.emplace_back();
    record.steps = 1000 * (i + 1);
    for (std::uint64_t level = 0; level < 10; ++level) {
      record.leading.push_back({.level = level, .probability = 0.1, .score = 0.5});
    }
    record.leading[1] = {
        .level = edited, .probability = 0.2, .score = 0.25, .data = to_hex(kLevel)};
  }
  run.levels = {{.level = edited, .probability = 0.5, .score = 1, .data = to_hex(kLevel)},
                {.level = 3, .probability = 0.1}};
  return run;
}

TEST(LevelPictures, DrawEditedLevelsFromTheirData) {
  const LevelPictures pictures = level_pictures(maze_run(1), 1);
  ASSERT_EQ(pictures.most.size(), 1U);
  EXPECT_EQ(pictures.most[0].caption, "edited, 50 %, score 1");
  EXPECT_EQ(pictures.least[0].caption, "level 3, 10 %, score 0");
  EXPECT_NE(pictures.most[0].png, pictures.least[0].png);
}

TEST(LevelPictures, AreNoneIfTheDataAreMissing) {
  RunData run = maze_run(1);
  run.levels[0].data.reset();
  EXPECT_TRUE(level_pictures(run, 1).most.empty());
}

TEST(LevelPictures, ShowTheMostProbableLevelsOverTime) {
  const std::vector<LevelsAtTime> history = level_history(maze_run(7), 3, 2);
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].steps, 1000);
  EXPECT_EQ(history[1].steps, 4000);
  EXPECT_EQ(history[2].steps, 7000);
  ASSERT_EQ(history[0].pictures.size(), 2U);
  EXPECT_EQ(history[0].pictures[0].caption, "level 0, 10 %, score 0.5");
  EXPECT_EQ(history[0].pictures[1].caption, "edited, 20 %, score 0.25");
}

TEST(LevelPictures, AnimationHasAFramePerRecord) {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "levels.gif";
  RunData run = maze_run(3);
  // Sheets of levels of equal size.
  for (LevelsRecord& record : run.curriculum) record.leading.erase(record.leading.begin() + 1);
  ASSERT_TRUE(write_level_animation(run, file));
  EXPECT_TRUE(read_text(file).starts_with("GIF89a"));
  EXPECT_THROW(write_level_animation(run, folder / "missing" / "levels.gif"), std::runtime_error);
  run.curriculum.clear();
  EXPECT_FALSE(write_level_animation(run, folder / "none.gif"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.gif"));
}

}  // namespace
}  // namespace plr::report

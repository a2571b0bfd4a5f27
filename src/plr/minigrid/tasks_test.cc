#include "plr/minigrid/tasks.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>
#include <string>

namespace plr::minigrid {
namespace {

TEST(Tasks, AreThoseOfTheReferenceAndOfThePaper) {
  std::set<std::string> names;
  int num_reference = 0;
  for (const Task& task : tasks()) {
    names.insert(task.name);
    num_reference += task.name.starts_with("MiniGrid-") ? 1 : 0;
    EXPECT_FALSE(task.summary.empty()) << task.name;
  }
  EXPECT_EQ(num_reference, 76);
  EXPECT_EQ(names.size(), 80U);
  EXPECT_EQ(find_task("MultiRoom-N4-Random").seeding, Seeding::kLegacy);
  EXPECT_EQ(find_task("MiniGrid-MultiRoom-N6-v0").seeding, Seeding::kPcg64);
}

TEST(Tasks, SuggestsTheClosestNameForAnUnknownOne) {
  try {
    find_task("MiniGrid-DoorKey-7x7-v0");
    FAIL() << "found";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("MiniGrid-DoorKey-5x5-v0"), std::string::npos)
        << error.what();
  }
}

TEST(Tasks, EqualSeedsMakeEqualLevels) {
  for (const Task& task : tasks()) {
    EXPECT_EQ(make_level(task, 5).start, make_level(task, 5).start) << task.name;
  }
}

TEST(Tasks, AllBitsOfASeedMatter) {
  for (const char* name : {"MultiRoom-N4-Random", "MiniGrid-MultiRoom-N6-v0"}) {
    const Task& task = find_task(name);
    const State low = make_level(task, 5).start;
    EXPECT_NE(make_level(task, 5 + (1ULL << 32)).start, low);
    EXPECT_NE(make_level(task, 5 + (1ULL << 63)).start, low);
  }
}

TEST(Tasks, SeedingChangesOnlyTheLevels) {
  const Task& paper = find_task("MultiRoom-N4-Random");
  const Task today = with_seeding(paper, Seeding::kPcg64);
  EXPECT_EQ(today.name, paper.name);
  EXPECT_EQ(today.max_steps, paper.max_steps);
  EXPECT_FALSE(make_level(today, 5).start.grid == make_level(paper, 5).start.grid);
}

TEST(Tasks, RefuseLegacySeedingIfStepsDrawRandomNumbers) {
  const Task& task = find_task("MiniGrid-Dynamic-Obstacles-6x6-v0");
  EXPECT_THROW(with_seeding(task, Seeding::kLegacy), std::invalid_argument);
  EXPECT_NO_THROW(with_seeding(task, Seeding::kPcg64));
}

TEST(Tasks, DifficultyOfTheGamutFollowsFromTheSeed) {
  const Task& medium = find_task("ObstructedMazeGamut-Medium");
  EXPECT_EQ(medium.num_difficulties, 6);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    EXPECT_EQ(make_level(medium, seed).difficulty, seed % 6);
  }
  // Two rooms, then nine of which four are visited; rooms of 7 x 7, 4 steps per cell.
  EXPECT_EQ(make_level(medium, 0).max_steps, 4 * 2 * 49);
  EXPECT_EQ(make_level(medium, 3).max_steps, 4 * 4 * 49);
  EXPECT_EQ(medium.max_steps, 4 * 4 * 49);
}

TEST(Tasks, DifficultiesOfMultiRoomAreEquallyLikely) {
  const Task& task = find_task("MultiRoom-N4-Random");
  std::array<int, 4> counts{};
  constexpr int kLevels = 4000;
  for (std::uint64_t seed = 0; seed < kLevels; ++seed) {
    ++counts.at(make_level(task, seed).difficulty.value());
  }
  // The authors' training levels: 1043, 972, 964, 1021 of one to four rooms.
  EXPECT_EQ(counts, (std::array<int, 4>{1043, 972, 964, 1021}));
}

TEST(Tasks, LevelsOfOtherFamiliesHaveNoDifficulty) {
  const Task& task = find_task("MiniGrid-DoorKey-8x8-v0");
  EXPECT_EQ(task.num_difficulties, 0);
  EXPECT_FALSE(make_level(task, 0).difficulty.has_value());
}

TEST(Mission, RefusesATextThatIsTooLong) {
  const std::string longest(95, 'x');
  EXPECT_EQ(Mission(longest).text(), longest);
  EXPECT_THROW(Mission(longest + "x"), std::invalid_argument);
}

}  // namespace
}  // namespace plr::minigrid

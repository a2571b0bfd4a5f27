#include "plr/catalog/make_env.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/env/random_play.h"
#include "tests/support/error_message.h"

namespace plr::catalog {
namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const EnvInfo& info : environments()) names.push_back(info.name);
  return names;
}

// ---- names and options

std::string error_for(std::string_view name, const EnvOptions& options = {}) {
  return invalid_argument_of([&] { make_env(name, options); });
}

TEST(MakeEnv, ListsTasksOfAllFamiliesWithDistinctNames) {
  const std::vector<std::string> all = all_names();
  const std::set<std::string> names(all.begin(), all.end());
  EXPECT_EQ(names.size(), all.size());
  EXPECT_EQ(all.size(), 80U + 42U + 26U + 5U);
  EXPECT_TRUE(names.contains("procgen/dodgeball-memory"));
  EXPECT_TRUE(names.contains("maze/random-25"));
  EXPECT_TRUE(names.contains("minigrid/MultiRoom-N4-Random"));
  EXPECT_TRUE(names.contains("minigrid/MiniGrid-DoorKey-8x8-v0"));
}

TEST(MakeEnv, SuggestsTheClosestNameForAnUnknownOne) {
  EXPECT_EQ(error_for("minigrid/MultiRoom-N4-Randon"),
            "unknown environment 'minigrid/MultiRoom-N4-Randon'; did you mean "
            "minigrid/MultiRoom-N4-Random?");
  EXPECT_EQ(error_for("doorkey-16"),
            "unknown environment 'doorkey-16'; did you mean minigrid/MiniGrid-DoorKey-16x16-v0?");
}

TEST(MakeEnv, SuggestsAPluginForAnUnknownFamily) {
  EXPECT_EQ(error_for("windy/MultiRoom-N4-Random"),
            "unknown environment 'windy/MultiRoom-N4-Random'; did you mean "
            "minigrid/MultiRoom-N4-Random? If windy is the family of a plug-in, give its file by "
            "--plugin FILE");
}

TEST(MakeEnv, ListsTheModesOfAProcgenGameForAnUnknownMode) {
  EXPECT_EQ(error_for("procgen/maze-extreme"),
            "procgen/maze has the modes easy, hard, memory (the first without a suffix), not "
            "'extreme'");
  EXPECT_EQ(error_for("procgen/bigfsh"),
            "unknown environment 'procgen/bigfsh'; did you mean procgen/bigfish?");
}

TEST(MakeEnv, RefusesOptionsOutOfBounds) {
  const char* name = "minigrid/MultiRoom-N4-Random";
  EXPECT_EQ(error_for(name, {.num_slots = 0}), "num_slots must be from 1 to 65536, not 0");
  EXPECT_EQ(error_for(name, {.num_workers = -1}), "num_workers must be from 0 to 1024, not -1");
  EXPECT_EQ(
      error_for("minigrid/MiniGrid-Dynamic-Obstacles-5x5-v0", {.seeding = LevelSeeding::kLegacy}),
      "seeding: MiniGrid-Dynamic-Obstacles-5x5-v0 must be pcg64, since its steps draw random "
      "numbers");
}

TEST(MakeEnv, MakesUnlistedEnvironmentsWithAParameterInTheName) {
  check_env_name("maze/PerfectMaze-27");
  EXPECT_EQ(absolute_env_name("maze/PerfectMaze-27"), "maze/PerfectMaze-27");
  EXPECT_EQ(absolute_env_name("maze/file:a/../b.txt"),
            "maze/file:" + (std::filesystem::current_path() / "b.txt").string());
  EXPECT_EQ(make_env("maze/random-3")->spec().name, "maze/random-3");
  EXPECT_EQ(invalid_argument_of([] { check_env_name("maze/PerfectMaze-12"); }),
            "the number in maze/PerfectMaze-N must be odd and from 3 to 101, not '12'");
  EXPECT_EQ(
      error_for("maze/random-168"),
      "the number in maze/random-N must be from 0 to 167, or a range such as 0-59, not '168'");
  EXPECT_EQ(error_for("maze/Labirinth"),
            "unknown environment 'maze/Labirinth'; did you mean maze/Labyrinth?");
}

TEST(MakeEnv, OptionsOfTheMazeAreRefusedByOtherFamilies) {
  EXPECT_EQ(error_for("minigrid/MultiRoom-N4-Random", {.maze = {.view_size = 7}}),
            "view_size: minigrid/MultiRoom-N4-Random offers 5 only, not 7");
  EXPECT_EQ(error_for("procgen/maze", {.maze = {.step_limit = StepLimit::kArea}}),
            "step_limit: procgen/maze offers default only, not area");
}

TEST(MakeEnv, ObservesTheWholeGridOrTheViewOfTheAgent) {
  using Shape = std::array<int, 3>;
  const char* name = "minigrid/MiniGrid-RedBlueDoors-6x6-v0";  // 12 wide, 6 high
  EXPECT_EQ(make_env(name)->spec().observation_shape, (Shape{12, 6, 3}));
  EXPECT_EQ(make_env(name, {.observation = Observation::kView})->spec().observation_shape,
            (Shape{7, 7, 3}));
}

// ---- the paper's environments

std::vector<int> difficulties(const char* name, LevelSeeding seeding, LevelId count) {
  const auto env = make_env(name, {.num_slots = 1, .seeding = seeding});
  std::vector<int> counts(static_cast<std::size_t>(env->spec().num_difficulties));
  for (LevelId level = 0; level < count; ++level) {
    ++counts[static_cast<std::size_t>(env->difficulty(level).value())];
  }
  return counts;
}

TEST(MakeEnv, MultiRoomHasTheRoomCountsOfTheAuthorsLevels) {
  // Counted over the seeds 0..3999 with the authors' own code, under both generators.
  const char* name = "minigrid/MultiRoom-N4-Random";
  EXPECT_EQ(difficulties(name, LevelSeeding::kDefault, 4000),
            (std::vector<int>{1043, 972, 964, 1021}));
  EXPECT_EQ(difficulties(name, LevelSeeding::kPcg64, 4000),
            (std::vector<int>{904, 1025, 1049, 1022}));
}

TEST(MakeEnv, GamutCyclesThroughItsMazes) {
  EXPECT_EQ(difficulties("minigrid/ObstructedMazeGamut-Medium", LevelSeeding::kDefault, 60),
            std::vector<int>(6, 10));
}

TEST(MakeEnv, RefusesAnEpisodeSavedUnderAnotherSeeding) {
  const char* name = "minigrid/MultiRoom-N4-Random";
  const auto legacy = make_env(name, {.num_slots = 1});
  const auto pcg64 = make_env(name, {.num_slots = 1, .seeding = LevelSeeding::kPcg64});
  RandomPlay play(*legacy, 1);
  std::vector<std::byte> bytes;
  legacy->save(0, bytes);
  EXPECT_THROW(pcg64->load(0, bytes), std::runtime_error);
}

}  // namespace
}  // namespace plr::catalog

#include "plr/maze/maze_env.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/env/conformance.h"
#include "plr/env/slot_player_testing.h"
#include "plr/maze/level_bytes.h"
#include "plr/maze/named_levels.h"
#include "plr/maze/solver.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::maze {
namespace {

using Shape = std::array<int, 3>;

std::unique_ptr<MazeEnv> make(const std::string& name, const EnvOptions& options = {}) {
  return std::make_unique<MazeEnv>(find_task(name).value(), options);
}

std::vector<plr::Action> numbers(const std::vector<Action>& actions) {
  std::vector<plr::Action> all;
  for (const Action action : actions) all.push_back(static_cast<plr::Action>(action));
  return all;
}

TEST(MazeEnv, ObservesTheViewByDefault) {
  EXPECT_EQ(make("random-25")->spec().observation_shape, (Shape{5, 5, 4}));
  EXPECT_EQ(make("random-25", {.maze = {.view_size = 9}})->spec().observation_shape,
            (Shape{9, 9, 4}));
  EXPECT_EQ(make("Labyrinth", {.observation = Observation::kFull})->spec().observation_shape,
            (Shape{13, 13, 3}));
}

TEST(MazeEnv, RefusesOptionsThatItDoesNotOffer) {
  const auto error = [](const EnvOptions& options) {
    return invalid_argument_of([&] { make("empty", options); });
  };
  EXPECT_EQ(error({.maze = {.view_size = 4}}), "view_size must be odd, not 4");
  EXPECT_EQ(error({.maze = {.view_size = -1}}), "view_size must be from 1 to 201, not -1");
  EXPECT_EQ(error({.seeding = LevelSeeding::kPcg64}),
            "seeding: maze/empty offers default only, not pcg64");
}

TEST(MazeEnv, HasTheStepLimitsOfTheTaskTheAreaOrTheOption) {
  EXPECT_EQ(make("Labyrinth")->spec().max_steps, 250);
  const MazeOptions area = {.step_limit = StepLimit::kArea};
  EXPECT_EQ(make("Labyrinth", {.maze = area})->spec().max_steps, 450);
  EXPECT_EQ(make("LargeCorridor", {.maze = area})->spec().max_steps, 882);
  EXPECT_EQ(make("PerfectMaze-101")->spec().max_steps, 21'218);
  EXPECT_EQ(make("Crossing")->spec().max_steps, 484);
  EXPECT_EQ(make("empty", {.maze = {.max_steps = 30}})->spec().max_steps, 30);
}

TEST(MazeEnv, AShortestSolutionEarnsTheOptimalReturn) {
  SlotPlayer player(make("StandardMaze", {.num_slots = 1}));
  const Level& level = find_named_levels("StandardMaze")->levels[0].level;
  const Episode episode = player.play_level(0, 3, numbers(Solver().solution(level)));
  EXPECT_EQ(episode.size(), 1U + 54U);
  EXPECT_TRUE(episode.back().terminated);
  EXPECT_FALSE(episode.back().truncated);
  EXPECT_EQ(episode.back().reward, static_cast<double>(optimal_return({}, 54)));
  EXPECT_TRUE(player.env().has_solved(0));
}

TEST(MazeEnv, TheStepLimitTruncates) {
  SlotPlayer player(make("empty", {.num_slots = 1, .maze = {.max_steps = 3}}));
  const Episode episode = player.play_level(0, 3, std::vector<plr::Action>(3, 6));
  EXPECT_TRUE(episode.back().truncated);
  EXPECT_FALSE(episode.back().terminated);
  EXPECT_FALSE(player.env().has_solved(0));
}

TEST(MazeEnv, GeneratesTheSameLevelForASeedInEveryVersion) {
  // A change of these texts changes the levels of all seeds.
  EXPECT_EQ(draw(make_level(*find_task("random-25"), 0)),
            "#............\n"
            "##...#.......\n"
            "....#........\n"
            "....#........\n"
            ".........#...\n"
            ".#...#.#....#\n"
            "..<#.........\n"
            "...#.........\n"
            "#.....G......\n"
            "......#..#...\n"
            "#..#.#....#..\n"
            "#............\n"
            ".........#..#\n");
  EXPECT_EQ(draw(make_level(*find_task("PerfectMaze-7"), 1)),
            ".....#.\n"
            ".###.#.\n"
            ".#G#.#.\n"
            ".#.#.#.\n"
            "...#.#.\n"
            "####.#.\n"
            ".....^.\n");
  EXPECT_NE(make_level(*find_task("random-25"), 0), make_level(*find_task("random-25"), 1));
}

TEST(MazeEnv, ASlotStartsItsLevelAgainAndAnyOther) {
  const auto env = make("random-25", {.num_slots = 2});
  StepBuffers buffers(env->spec());
  const auto start = [&](LevelId level) {
    env->start_slot({0, level}, buffers.batch());
    return to_bytes(env->level_in(0));
  };
  const auto three = to_bytes(env->level_of(3));
  const auto four = to_bytes(env->level_of(4));
  ASSERT_NE(three, four);
  EXPECT_EQ(start(3), three);
  const auto forward = static_cast<plr::Action>(Action::kForward);
  env->step_slot(0, {&forward, 1}, buffers.batch());
  EXPECT_EQ(start(3), three);
  EXPECT_EQ(env->state_in(0).agent, env->level_of(3).agent);
  EXPECT_EQ(start(4), four);
  // After an episode of another level has been loaded.
  env->start_slot({1, 3}, buffers.batch());
  std::vector<std::byte> saved;
  env->save(1, saved);
  env->load(0, saved);
  EXPECT_EQ(start(4), four);
}

TEST(MazeEnv, CorridorsAndFilesRepeatTheirLevels) {
  const Task task = find_task("SmallCorridor").value();
  EXPECT_EQ(make_level(task, 3), make_level(task, 13));
  EXPECT_EQ(level_name(task, 13), "SmallCorridor/3");
  EXPECT_EQ(make("SmallCorridor")->level_name(7), "SmallCorridor/7");
  EXPECT_EQ(make("random-25")->level_name(7), "");
  EXPECT_EQ(make("SmallCorridor")->spec().num_fixed_levels, 10U);
  EXPECT_EQ(make("random-25")->spec().num_fixed_levels, 0U);
}

// ---- difficulty

TEST(MazeEnv, DifficultyIsTheLengthOfTheShortestSolution) {
  EXPECT_EQ(difficulty_class(1), 0);
  EXPECT_EQ(difficulty_class(8), 0);
  EXPECT_EQ(difficulty_class(9), 1);
  EXPECT_EQ(difficulty_class(64), 3);
  EXPECT_EQ(difficulty_class(65), 4);
  EXPECT_EQ(difficulty_class(std::nullopt), 5);
  EXPECT_EQ(make("Labyrinth")->difficulty(0), 4);     // 113 actions
  EXPECT_EQ(make("SixteenRooms")->difficulty(0), 2);  // 26 actions
}

// ---- level files

class LevelFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const {
    const std::filesystem::path path = folder_.path() / "levels.txt";
    write_text(path, text);
    return path.string();
  }
  const TemporaryDirectory folder_;
};

TEST_F(LevelFile, IsAnEnvironmentOfItsLevels) {
  const std::string path = write("name: near\n>G\n\n>..\n..G\n");
  const auto env = make("file:" + path, {.observation = Observation::kFull});
  EXPECT_EQ(env->spec().name, "maze/file:" + path);
  EXPECT_EQ(env->spec().observation_shape, (Shape{3, 2, 3}));  // the largest level
  EXPECT_EQ(env->level_name(0), "near");
  EXPECT_EQ(draw(env->level_of(1)), ">..\n..G\n");
  EXPECT_EQ(env->level_of(4), env->level_of(0));
  EXPECT_EQ(invalid_argument_of([&] { make("file:" + write(">G\n.x\n")); }),
            path + ":2: a cell must be one of # . G > v < ^, not 'x'");
  EXPECT_THROW(make("file:" + path + ".missing"), std::runtime_error);
}

TEST_F(LevelFile, RefusesEpisodesOfALevelThatHasChanged) {
  const std::string path = write(">.G\n");
  SlotPlayer before(make("file:" + path, {.num_slots = 1}));
  before.start(0, 0);
  const Bytes saved = before.saved(0);
  write(">.G\n...\n");
  const auto after = make("file:" + path, {.num_slots = 1});
  EXPECT_EQ(runtime_error_of([&] { after->load(0, saved); }),
            "maze/file:" + path + " state: its level is not the one that was saved");
}

TEST_F(LevelFile, Conforms) {
  const std::string path = write("name: near\n>G\n\n>..\n..G\n");
  const auto make_some = [&](int num_slots, int num_workers) {
    return make("file:" + path, {.num_slots = num_slots, .num_workers = num_workers});
  };
  EXPECT_EQ(conformance_violations(make_some), std::vector<std::string>{});
}

// ---- stored levels

TEST(MazeEnv, PlaysStoredLevels) {
  const auto store = std::make_shared<LevelStore>();
  const Level level = parse_level(">..G");
  const LevelId id = store->add(to_bytes(level));
  SlotPlayer player(make("random-25", {.num_slots = 2, .store = store}));
  EXPECT_TRUE(player.env().has_level(id));
  const Episode episode = player.play_level(0, id, std::vector<plr::Action>(3, 2));
  EXPECT_TRUE(episode.back().terminated);
  EXPECT_EQ(player.env().level(0), id);
  EXPECT_EQ(player.env().difficulty(id), 0);
  EXPECT_EQ(player.env().level_name(id), "");

  // A saved episode continues in another environment with the same store, and not without.
  player.start(1, id);
  const std::vector<plr::Action> forward = {2};
  player.step(1, forward);
  SlotPlayer other(make("random-25", {.num_slots = 1, .store = store}));
  other.env().load(0, player.saved(1));
  EXPECT_EQ(other.step(0, forward), player.step(1, forward));
  SlotPlayer without(make("random-25", {.num_slots = 1}));
  EXPECT_EQ(runtime_error_of([&] { without.env().load(0, player.saved(1)); }),
            "maze/random-25 state: the level does not exist");
}

TEST(MazeEnv, UnknownStoredLevelsAreRefused) {
  const auto store = std::make_shared<LevelStore>();
  const LevelId no_maze = store->add(std::vector<std::byte>(3));
  const LevelId large = store->add(to_bytes(parse_level(">G" + std::string(18, '.'))));
  SlotPlayer view(make("random-25", {.num_slots = 1, .store = store}));
  SlotPlayer full(
      make("random-25", {.num_slots = 1, .observation = Observation::kFull, .store = store}));
  EXPECT_EQ(message_of<std::out_of_range>([&] { view.start(0, no_maze); }),
            "level " + std::to_string(no_maze) + " is not in a store of maze/random-25");
  EXPECT_THROW(view.start(0, kFirstStoredLevel), std::out_of_range);
  EXPECT_NO_THROW(view.start(0, large));
  EXPECT_THROW(full.start(0, large), std::out_of_range);  // 20 cells wide in a picture of 13
}

}  // namespace
}  // namespace plr::maze

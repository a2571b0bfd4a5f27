// Walls, steps and observations.
#include <gtest/gtest.h>

#include <vector>

#include "plr/base/random.h"
#include "plr/maze/generate.h"
#include "plr/maze/level_bytes.h"
#include "plr/maze/naive_testing.h"
#include "plr/maze/observe.h"
#include "plr/maze/step.h"
#include "plr/maze/text_form.h"

namespace plr::maze {
namespace {

TEST(Walls, AreWallsOutsideOfTheMaze) {
  const Walls walls(3, 2);
  EXPECT_FALSE(walls.at({2, 1}));
  for (const Position p : {Position{3, 0}, {0, 2}, {-1, 0}, {0, -1}, {-50, 0}, {0, 500}}) {
    EXPECT_TRUE(walls.at(p)) << p.x << ", " << p.y;
  }
  EXPECT_EQ(walls.count(), 0);
  EXPECT_EQ(Walls(101, 7, /*filled=*/true).count(), 707);
}

TEST(Walls, StoreEveryCellByRowAndByColumn) {
  Random random = Streams(1).named("test");
  for (const auto& [width, height] : {Size{1, 2}, Size{13, 13}, Size{9, 5}, Size{101, 101}}) {
    Walls walls(width, height);
    std::vector<std::vector<bool>> expected(static_cast<std::size_t>(height),
                                            std::vector<bool>(static_cast<std::size_t>(width)));
    int count = 0;
    for (int i = 0; i < 3 * walls.num_cells(); ++i) {
      const auto x = random.below(static_cast<std::uint64_t>(width));
      const auto y = random.below(static_cast<std::uint64_t>(height));
      const bool wall = random.below(2) == 0;
      count += static_cast<int>(wall) - static_cast<int>(expected[y][x]);
      expected[y][x] = wall;
      walls.set({static_cast<int>(x), static_cast<int>(y)}, wall);
    }
    EXPECT_EQ(walls.count(), count);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool wall = expected[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
        ASSERT_EQ(walls.at({x, y}), wall);
        ASSERT_EQ((walls.row_bits(y, x) & 1U) != 0, wall);
        ASSERT_EQ((walls.column_bits(x, y) & 1U) != 0, wall);
      }
    }
  }
}

// Sizes at the limits, and views of one cell to far more than the maze.
TEST(MazeEngine, EqualsTheNaiveMazeOnRandomLevelsAndActions) {
  Random random = Streams(2).named("test");
  constexpr int kMaxSteps = 60;
  const std::vector<Size> sizes = {{13, 13}, {13, 13}, {2, 1}, {5, 9}, {101, 101}, {1, 40}};
  for (int repeat = 0; repeat < 240; ++repeat) {
    const Size size = sizes[static_cast<std::size_t>(repeat) % sizes.size()];
    const auto cells = static_cast<std::uint64_t>(size.width * size.height);
    const Level level = random_level(size, static_cast<int>(random.below(cells / 2)), random);
    NaiveMaze naive(level, kMaxSteps);
    State state = start_of(level);
    for (bool done = false; !done;) {
      for (const int side : {1, 3, 5, 7, 11, 27}) {
        std::vector<std::uint8_t> image(view_bytes(side));
        observe_view(level, state, {.side = side}, image);
        ASSERT_EQ(image, naive.view(side)) << draw(level, state) << "view " << side;
      }
      // Forward in half of the steps, so that the agent leaves its start.
      const int action = random.below(2) == 0 ? 2 : static_cast<int>(random.below(kNumActions));
      const StepResult result =
          step(level, {.max_steps = kMaxSteps}, state, static_cast<Action>(action));
      ASSERT_EQ(result.reached_goal, naive.step(action));
      ASSERT_EQ(result.out_of_time, naive.is_out_of_time());
      done = result.done();
    }
  }
}

TEST(MazeEngine, TheLastStepOfTheLimitStillPays) {
  const Level level = parse_level(">G");
  State state = start_of(level);
  state.time = 249;
  const StepResult result = step(level, {}, state, Action::kForward);
  EXPECT_TRUE(result.reached_goal && result.out_of_time);
  EXPECT_NEAR(result.reward, 0.1, 1e-7);  // 1 - 0.9 * 250 / 250
  EXPECT_EQ(state.agent, level.agent);    // the goal's cell is not entered
}

TEST(MazeEngine, WithoutPenaltyEveryGoalPaysOne) {
  EXPECT_EQ(goal_reward({.max_steps = 250, .penalize_time = false}, 200), 1);
}

TEST(MazeObservation, FullShowsTheWholeLevelByColumns) {
  const Level level = parse_level(
      "v#\n"
      ".G\n");
  std::vector<std::uint8_t> image(3 * 2 * 3);
  observe_full(level, start_of(level), 3, 2, image);
  EXPECT_EQ(image, (std::vector<std::uint8_t>{10, 0, 1, 1, 0, 0,    // x = 0: agent, floor
                                              2, 5, 0, 8, 1, 0,     // x = 1: wall, goal
                                              2, 5, 0, 2, 5, 0}));  // outside
}

TEST(MazeLevelBytes, RoundTrip) {
  Random random = Streams(3).named("test");
  for (const Size size : {Size{13, 13}, Size{2, 1}, Size{101, 101}, Size{9, 5}}) {
    const Level level = random_level(size, size.width * size.height / 4, random);
    EXPECT_EQ(level_from(to_bytes(level)), level);
  }
  EXPECT_EQ(to_bytes(random_level({}, 25, random)).size(), 29U);
}

TEST(MazeLevelBytes, RefuseEverythingThatIsNoLevel) {
  const std::vector<std::byte> good = to_bytes(parse_level("..G\n.>#"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(level_from(std::span(good).first(size)), std::runtime_error);
  }
  const auto with = [&](std::size_t i, int value) {
    std::vector<std::byte> bytes = good;
    bytes[i] = static_cast<std::byte>(value);
    return bytes;
  };
  // Width, height, walls (6 bits), goal, agent, direction.
  EXPECT_THROW(level_from(with(0, 0)), std::runtime_error);
  EXPECT_THROW(level_from(with(1, 102)), std::runtime_error);
  EXPECT_THROW(level_from(with(2, 0x60)), std::runtime_error);  // a wall outside
  EXPECT_THROW(level_from(with(2, 0x04)), std::runtime_error);  // a wall on the goal
  EXPECT_THROW(level_from(with(3, 4)), std::runtime_error);     // the goal on the agent
  EXPECT_THROW(level_from(with(4, 1)), std::runtime_error);     // the goal outside
  EXPECT_THROW(level_from(with(7, 4)), std::runtime_error);     // no direction
  EXPECT_EQ(draw(level_from(with(7, 2))), "..G\n.<#\n");
}

}  // namespace
}  // namespace plr::maze

// The rules of each task: what ends an episode and what is rewarded.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/step.h"

namespace plr::minigrid {
namespace {

using enum Action;

Level with_rules(std::string_view picture, Rules rules) {
  Level level = parse_level(picture);
  level.rules = rules;
  return level;
}

StepResult result_of(const Level& level, const std::vector<Action>& actions) {
  State state = level.start;
  StepResult result;
  for (const Action action : actions) {
    EXPECT_FALSE(result.done());
    result = step(level, state, action);
  }
  return result;
}

void expect_success(const Level& level, const std::vector<Action>& actions) {
  const StepResult result = result_of(level, actions);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 1 - 0.9 * (static_cast<double>(actions.size()) / level.max_steps));
}

void expect_failure(const Level& level, const std::vector<Action>& actions) {
  const StepResult result = result_of(level, actions);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 0);
}

void expect_no_end(const Level& level, const std::vector<Action>& actions) {
  const StepResult result = result_of(level, actions);
  EXPECT_FALSE(result.done());
  EXPECT_EQ(result.reward, 0);
}

TEST(PickUpRules, CarryingTheTargetSucceeds) {
  Level level = with_rules(
      "#####\n"
      "#y>o#\n"
      "#####\n",
      Rules::kPickUp);
  level.target = ball(Color::kBlue);
  expect_success(level, {kPickUp});
  expect_no_end(level, {kLeft, kLeft, kPickUp});
}

TEST(PickUpRules, ABallOfAnotherColorIsNotTheTarget) {
  Level level = with_rules(
      "####\n"
      "#>o#\n"
      "####\n",
      Rules::kPickUp);
  level.target = ball(Color::kGreen);
  expect_no_end(level, {kPickUp});
}

TEST(OpenDoorRules, OpeningTheDoorSucceeds) {
  Level level = with_rules(
      "######\n"
      "#>yY #\n"
      "######\n",
      Rules::kOpenDoor);
  level.position = {3, 1};
  expect_no_end(level, {kToggle});
  expect_no_end(level, {kPickUp, kForward});
  expect_success(level, {kPickUp, kForward, kToggle});
}

TEST(FetchRules, TakingAnythingEndsTheEpisode) {
  Level level = with_rules(
      "#####\n"
      "#y>r#\n"
      "#####\n",
      Rules::kFetch);
  level.target = key(Color::kRed);
  expect_success(level, {kPickUp});
  expect_failure(level, {kLeft, kLeft, kPickUp});
  expect_no_end(level, {kForward, kToggle});
}

TEST(GoToRules, DoneBesideThePositionSucceeds) {
  Level level = with_rules(
      "#####\n"
      "# > #\n"
      "#y  #\n"
      "#####\n",
      Rules::kGoTo);
  level.position = {1, 2};
  expect_failure(level, {kDone});  // diagonally away
  // Beside it, in any direction.
  expect_success(level, {kLeft, kLeft, kForward, kDone});
  expect_success(level, {kRight, kForward, kDone});
  expect_failure(level, {kToggle});
  expect_no_end(level, {kPickUp});
}

TEST(PutNearRules, DroppingTheTargetNearThePositionSucceeds) {
  Level level = with_rules(
      "######\n"
      "#>y  #\n"
      "#   o#\n"
      "######\n",
      Rules::kPutNear);
  level.target = key(Color::kYellow);
  level.position = {4, 2};
  expect_no_end(level, {kPickUp});
  // Onto (3, 1), diagonally beside the ball.
  expect_success(level, {kPickUp, kForward, kDrop});
  // Back onto (2, 1): too far.
  expect_failure(level, {kPickUp, kDrop});
}

TEST(PutNearRules, AFailedDropEndsTheEpisodeToo) {
  Level level = with_rules(
      "#####\n"
      "#>y##\n"
      "#  o#\n"
      "#####\n",
      Rules::kPutNear);
  level.target = key(Color::kYellow);
  level.position = {3, 2};
  expect_failure(level, {kPickUp, kForward, kDrop});
  // Without an object, a drop does not end the episode.
  expect_no_end(level, {kDrop});
}

TEST(PutNearRules, TakingAnotherObjectEndsTheEpisode) {
  Level level = with_rules(
      "#####\n"
      "#o>y#\n"
      "#####\n",
      Rules::kPutNear);
  level.target = key(Color::kYellow);
  level.position = {1, 1};
  expect_failure(level, {kLeft, kLeft, kPickUp});
}

TEST(MemoryRules, TheRightPositionSucceedsAndTheOtherFails) {
  Level level = with_rules(
      "#####\n"
      "# > #\n"
      "#####\n",
      Rules::kMemory);
  level.position = {3, 1};
  level.other_position = {1, 1};
  expect_success(level, {kForward});
  expect_failure(level, {kLeft, kLeft, kForward});
}

TEST(MemoryRules, NothingCanBePickedUp) {
  const Level level = with_rules(
      "#####\n"
      "#y>+#\n"
      "#####\n",
      Rules::kMemory);
  State state = level.start;
  // Picking up toggles instead.
  step(level, state, kPickUp);
  EXPECT_EQ(draw(state), "#####\n#y>_#\n#####\n");
  for (const Action action : {kLeft, kLeft, kPickUp}) step(level, state, action);
  EXPECT_TRUE(state.hand_is_empty());
}

TEST(RedBlueDoorsRules, TheBlueDoorMustComeSecond) {
  Level level = with_rules(
      "#####\n"
      "#+>+#\n"
      "#####\n",
      Rules::kRedBlueDoors);
  level.position = {1, 1};
  level.other_position = {3, 1};
  expect_failure(level, {kToggle});
  expect_success(level, {kLeft, kLeft, kToggle, kLeft, kLeft, kToggle});
  // A red door that was opened and closed again does not count.
  expect_failure(level, {kLeft, kLeft, kToggle, kToggle, kLeft, kLeft, kToggle});
}

Level with_obstacle(std::string_view picture, Position at) {
  Level level = with_rules(picture, Rules::kMovingObstacles);
  level.start.obstacles.at[0] = at;
  level.start.obstacles.count = 1;
  level.start.random = NumpyRandom(0);
  return level;
}

TEST(MovingObstaclesRules, ABallMovesToAFreeNeighboringCell) {
  const Level level = with_obstacle(
      "######\n"
      "#> o #\n"
      "######\n",
      {3, 1});
  State state = level.start;
  // At least one of two neighboring cells is free.
  for (int i = 0; i < 20; ++i) {
    const Position before = state.obstacles.at[0];
    step(level, state, kLeft);
    const Position now = state.obstacles.at[0];
    EXPECT_EQ(std::abs(now.x - before.x), 1);
    EXPECT_EQ(state.grid.at(now), ball(Color::kBlue));
    EXPECT_TRUE(state.grid.is_empty(before));
  }
}

TEST(MovingObstaclesRules, WalkingIntoABallIsPunishedEvenIfItMovesAway) {
  const Level level = with_obstacle(
      "#####\n"
      "#>o #\n"
      "#####\n",
      {2, 1});
  State state = level.start;
  const StepResult result = step(level, state, kForward);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, -1);
  EXPECT_EQ(draw(state), "#####\n# >o#\n#####\n");
}

TEST(MovingObstaclesRules, WalkingIntoAWallIsPunished) {
  const StepResult result =
      result_of(with_rules("####\n#> #\n####\n", Rules::kMovingObstacles), {kForward, kForward});
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, -1);
}

TEST(MovingObstaclesRules, ABallThatMovesIntoTheWayOnlyBlocks) {
  const Level level = with_obstacle(
      "#####\n"
      "#> o#\n"
      "#####\n",
      {3, 1});
  State state = level.start;
  const StepResult result = step(level, state, kForward);
  EXPECT_FALSE(result.done());
  EXPECT_EQ(result.reward, 0);
  EXPECT_EQ(draw(state), "#####\n#>o #\n#####\n");
}

TEST(MovingObstaclesRules, AnEnclosedBallStaysAfter101Draws) {
  const Level level = with_obstacle(
      "#####\n"
      "#>oG#\n"
      "#####\n",
      {2, 1});
  State state = level.start;
  step(level, state, kLeft);
  EXPECT_EQ(draw(state), "#####\n#^oG#\n#####\n");
  // Each draw uses one half of an output for x and one for y; seed 0 has no rejections here.
  EXPECT_EQ(state.random.position(), (StreamPosition{.outputs = 101, .half_waiting = false}));
}

TEST(MovingObstaclesRules, OtherActionsTurnLeft) {
  const Level level = with_rules("####\n#> #\n####\n", Rules::kMovingObstacles);
  State state = level.start;
  step(level, state, kToggle);
  EXPECT_EQ(draw(state), "####\n#^ #\n####\n");
}

}  // namespace
}  // namespace plr::minigrid

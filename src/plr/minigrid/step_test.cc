// The effects of every action, and the ends of an episode that all tasks share.

#include "plr/minigrid/step.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {
namespace {

using enum Action;

// The result of the last action.
StepResult play(const Level& level, State& state, const std::vector<Action>& actions) {
  StepResult result;
  for (const Action action : actions) result = step(level, state, action);
  return result;
}

// The picture after the actions.
std::string after(const Level& level, const std::vector<Action>& actions) {
  State state = level.start;
  play(level, state, actions);
  return draw(state);
}

StepResult result_of(const Level& level, const std::vector<Action>& actions) {
  State state = level.start;
  return play(level, state, actions);
}

TEST(Step, TurnsOnTheSpot) {
  const Level level = parse_level(
      "####\n"
      "#> #\n"
      "####\n");
  EXPECT_EQ(after(level, {kRight}), "####\n#v #\n####\n");
  EXPECT_EQ(after(level, {kRight, kRight}), "####\n#< #\n####\n");
  EXPECT_EQ(after(level, {kLeft}), "####\n#^ #\n####\n");
  EXPECT_EQ(after(level, {kLeft, kLeft, kLeft, kLeft}), draw(level.start));
}

TEST(Step, WalksUntilAWall) {
  const Level level = parse_level(
      "#####\n"
      "#>  #\n"
      "#####\n");
  EXPECT_EQ(after(level, {kForward}), "#####\n# > #\n#####\n");
  EXPECT_EQ(after(level, {kForward, kForward, kForward}), "#####\n#  >#\n#####\n");
}

TEST(Step, DoesNotWalkOverObjects) {
  const Level level = parse_level(
      "#####\n"
      "# r #\n"
      "#o>?#\n"
      "# + #\n"
      "#####\n");
  for (const std::vector<Action>& turns : std::vector<std::vector<Action>>{
           {kForward}, {kRight, kForward}, {kLeft, kForward}, {kLeft, kLeft, kForward}}) {
    State state = level.start;
    play(level, state, turns);
    EXPECT_EQ(state.agent, level.start.agent) << draw(state);
  }
}

TEST(Step, ReachingTheGoalEndsTheEpisodeWithAReward) {
  const Level level = parse_level(
      "#####\n"
      "#> G#\n"
      "#####\n");
  const StepResult result = result_of(level, {kForward, kForward});
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
  EXPECT_EQ(result.reward, 1 - 0.9 * (2.0 / 100));
}

TEST(Step, FacingTheGoalIsNotReachingIt) {
  const Level level = parse_level(
      "#####\n"
      "#> G#\n"
      "#####\n");
  const StepResult result = result_of(level, {kForward, kToggle});
  EXPECT_FALSE(result.done());
  EXPECT_EQ(result.reward, 0);
}

TEST(Step, RewardsEqualTheReferencesBitForBit) {
  // Python's 1 - 0.9 * (9 / 80).  With a fused multiply-add, or multiplied first: 0.89875.
  Level level = parse_level(
      "#####\n"
      "#>G #\n"
      "#####\n");
  level.max_steps = 80;
  level.start.step_count = 8;
  EXPECT_EQ(result_of(level, {kForward}).reward, 0.8987499999999999);
}

TEST(Step, LavaEndsTheEpisodeWithoutReward) {
  const Level level = parse_level(
      "#####\n"
      "#>~G#\n"
      "#####\n");
  const StepResult result = result_of(level, {kForward});
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 0);
  EXPECT_EQ(after(level, {kForward}), "#####\n# >G#\n#####\n");
}

TEST(Step, IsTruncatedAtTheStepLimit) {
  Level level = parse_level(
      "#####\n"
      "#>  #\n"
      "#####\n");
  level.max_steps = 3;
  EXPECT_FALSE(result_of(level, {kLeft, kLeft}).truncated);
  const StepResult result = result_of(level, {kLeft, kLeft, kLeft});
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.terminated);
}

TEST(Step, TheLastStepCanStillSucceed) {
  Level level = parse_level(
      "#####\n"
      "#> G#\n"
      "#####\n");
  level.max_steps = 2;
  const StepResult result = result_of(level, {kForward, kForward});
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.terminated);
  EXPECT_EQ(result.reward, 1 - 0.9);
}

TEST(Step, AClosedDoorOpensAndClosesWithoutAKey) {
  const Level level = parse_level(
      "#####\n"
      "#>+ #\n"
      "#####\n");
  EXPECT_EQ(after(level, {kToggle}), "#####\n#>_ #\n#####\n");
  EXPECT_EQ(after(level, {kToggle, kToggle}), "#####\n#>+ #\n#####\n");
  EXPECT_EQ(after(level, {kForward}), "#####\n#>+ #\n#####\n");
  EXPECT_EQ(after(level, {kToggle, kForward, kForward}), "#####\n# _>#\n#####\n");
}

TEST(Step, ALockedDoorOpensOnlyForItsKey) {
  const Level level = parse_level(
      "########\n"
      "#>y Y G#\n"
      "########\n");
  EXPECT_EQ(after(level, {kPickUp, kForward, kForward, kToggle}), "########\n#  >_ G#\n########\n");
  const Level wrong_key = parse_level(
      "########\n"
      "#>r Y G#\n"
      "########\n");
  EXPECT_EQ(after(wrong_key, {kPickUp, kForward, kForward, kToggle}),
            "########\n#  >Y G#\n########\n");
  const Level no_key = parse_level(
      "########\n"
      "#  >Y G#\n"
      "########\n");
  EXPECT_EQ(after(no_key, {kToggle}), draw(no_key.start));
}

TEST(Step, ABallOfTheDoorsColorDoesNotOpenIt) {
  Level level = parse_level(
      "#####\n"
      "#>B #\n"
      "#####\n");
  level.start.carrying.cell = ball(Color::kBlue);
  EXPECT_EQ(after(level, {kToggle}), draw(level.start));
}

TEST(Step, TheKeyIsKeptAndTheDoorStaysUnlocked) {
  const Level level = parse_level(
      "######\n"
      "#>yY #\n"
      "######\n");
  State state = level.start;
  play(level, state, {kPickUp, kForward, kToggle});
  EXPECT_EQ(state.carrying.cell, key(Color::kYellow));
  // Closing the door does not lock it.
  play(level, state, {kToggle});
  EXPECT_EQ(draw(state), "######\n# >+ #\n######\n");
}

TEST(Step, ObjectsAreCarriedOneAtATime) {
  const Level level = parse_level(
      "######\n"
      "#>yo #\n"
      "######\n");
  State state = level.start;
  play(level, state, {kPickUp});
  EXPECT_EQ(state.carrying.cell, key(Color::kYellow));
  EXPECT_EQ(draw(state), "######\n#> o #\n######\n");
  play(level, state, {kForward, kPickUp});
  EXPECT_EQ(state.carrying.cell, key(Color::kYellow));
  EXPECT_EQ(draw(state), "######\n# >o #\n######\n");
}

TEST(Step, WallsDoorsAndGoalsCannotBePickedUp) {
  for (const char* picture : {"####\n#>##\n####\n", "####\n#>+#\n####\n", "####\n#>G#\n####\n",
                              "####\n#>~#\n####\n", "####\n#>_#\n####\n"}) {
    const Level level = parse_level(picture);
    State state = level.start;
    play(level, state, {kPickUp});
    EXPECT_TRUE(state.hand_is_empty());
    EXPECT_EQ(draw(state), picture);
  }
}

TEST(Step, ObjectsAreDroppedOnlyOnEmptyCells) {
  Level level = parse_level(
      "#####\n"
      "#> G#\n"
      "#####\n");
  level.start.carrying.cell = key(Color::kRed);
  State state = level.start;
  play(level, state, {kForward, kDrop});
  EXPECT_FALSE(state.hand_is_empty());
  play(level, state, {kLeft, kLeft, kDrop});
  EXPECT_TRUE(state.hand_is_empty());
  EXPECT_EQ(draw(state), "#####\n#r<G#\n#####\n");
}

TEST(Step, AnOpenedBoxLeavesItsContent) {
  Level level = parse_level(
      "#####\n"
      "#>? #\n"
      "#####\n");
  EXPECT_EQ(after(level, {kToggle}), "#####\n#>  #\n#####\n");
  level.start.grid.set({2, 1}, box(Color::kGrey), BoxContent::key_of(Color::kPurple));
  EXPECT_EQ(after(level, {kToggle}), "#####\n#>p #\n#####\n");
}

TEST(Step, ABoxKeepsItsContentWhenItIsCarried) {
  Level level = parse_level(
      "#####\n"
      "#   #\n"
      "#>? #\n"
      "#####\n");
  level.start.grid.set({2, 2}, box(Color::kGrey), BoxContent::key_of(Color::kPurple));
  EXPECT_EQ(after(level, {kPickUp, kLeft, kDrop}), "#####\n#?  #\n#^  #\n#####\n");
  EXPECT_EQ(after(level, {kPickUp, kLeft, kDrop, kToggle}), "#####\n#p  #\n#^  #\n#####\n");
}

TEST(Step, DoneOnlyAdvancesTheStepCount) {
  for (const char* picture : {"####\n#>+#\n####\n", "####\n#>y#\n####\n", "####\n#> #\n####\n"}) {
    const Level level = parse_level(picture);
    State state = level.start;
    EXPECT_FALSE(play(level, state, {kDone}).done());
    EXPECT_EQ(state.step_count, 1);
    EXPECT_TRUE(state.hand_is_empty());
    EXPECT_EQ(draw(state), picture);
  }
}

TEST(Step, ACopiedStateContinuesIdentically) {
  const Level level = make_level(find_task("MiniGrid-Dynamic-Obstacles-8x8-v0"), 3);
  State state = level.start;
  play(level, state, {kForward, kRight});
  State copy;
  std::memcpy(&copy, &state, sizeof(State));
  EXPECT_EQ(copy, state);
  play(level, state, {kForward, kLeft, kRight});
  EXPECT_NE(copy, state);
  play(level, copy, {kForward, kLeft, kRight});
  EXPECT_EQ(std::memcmp(&copy, &state, sizeof(State)), 0);
}

}  // namespace
}  // namespace plr::minigrid

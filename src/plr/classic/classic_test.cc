// The classic tasks obey the equations of Gymnasium and draw the documented levels.
//
// tests/python/classic_test.py compares whole episodes with the installed Gymnasium.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plr/classic/cart_pole.h"
#include "plr/classic/classic_env.h"
#include "plr/classic/family.h"
#include "plr/classic/pendulum.h"
#include "plr/classic/picture.h"
#include "plr/classic/sin_cos.h"
#include "plr/env/slot_player_testing.h"
#include "tests/support/error_message.h"

namespace plr::classic {
namespace {

TEST(SinCos, IsWithinTwoRoundingErrorsOfTheStandardLibrary) {
  for (int i = -20'000; i <= 20'000; ++i) {
    const double x = i * 0.00521;  // up to 104, in steps that no period divides
    const SinCos both = sin_cos(x);
    ASSERT_NEAR(both.sin, std::sin(x), 2.3e-16) << x;
    ASSERT_NEAR(both.cos, std::cos(x), 2.3e-16) << x;
  }
}

// env = gymnasium.make("CartPole-v1").unwrapped; env.reset(); env.state = (.01, -.02, .03, -.04)
// for a in (1, 1, 0, 1): env.step(a); print(env.state)         (gymnasium 1.4.0)
TEST(CartPole, FollowsTheRecordedStatesOfGymnasium) {
  CartPole::State state = {0.01, -0.02, 0.03, -0.04};
  const std::vector<CartPole::State> expected = {
      {0.009600000000000001, 0.17467919574755525, 0.0292, -0.3230687179600081},
      {0.013093583914951107, 0.36937344399176103, 0.02273862564079984, -0.6064020159998607},
      {0.020481052794786327, 0.17394104931769996, 0.010610585320802625, -0.3066446263789625},
      {0.023959873781140326, 0.3689102079328361, 0.004477692793223374, -0.5959624480242942}};
  const std::vector<Action> actions = {1, 1, 0, 1};
  for (std::size_t i = 0; i < actions.size(); ++i) {
    EXPECT_EQ(CartPole::step({}, state, {&actions[i], 1}), 1);
    for (std::size_t k = 0; k < state.size(); ++k) EXPECT_NEAR(state[k], expected[i][k], 1e-15);
  }
}

// env = gymnasium.make("Pendulum-v1").unwrapped; env.reset(); env.state = numpy.array([2.5, -.75])
// for u in (1.5, -2, .25): _, r, *_ = env.step([u]); print(env.state, r)
TEST(Pendulum, FollowsTheRecordedStatesAndRewardsOfGymnasium) {
  Pendulum::State state = {2.5, -0.75};
  const std::vector<Pendulum::State> expected = {{2.4961927054038986, -0.07614589192203258},
                                                 {2.499942335392456, 0.07499259977114986},
                                                 {2.5280114031588043, 0.5613813553269644}};
  const std::vector<double> rewards = {-6.3085, -6.235557842197294, -6.25033656928953};
  const std::vector<float> torques = {1.5F, -2, 0.25F};
  for (std::size_t i = 0; i < torques.size(); ++i) {
    const Action action = to_word(torques[i]);
    EXPECT_NEAR(Pendulum::step({}, state, {&action, 1}), rewards[i], 1e-14);
    EXPECT_NEAR(state[0], expected[i][0], 1e-14);
    EXPECT_NEAR(state[1], expected[i][1], 1e-14);
  }
}

TEST(Pendulum, MeasuresTheAngleFromUprightWhateverTheNumberOfTurns) {
  const Action none = to_word(0);
  for (const int turns : {-3, 0, 2}) {
    Pendulum::State state = {3 + turns * 2 * kPi, 0};
    EXPECT_NEAR(Pendulum::step({}, state, {&none, 1}), -9, 1e-12) << turns;
  }
}

TEST(CartPole, EndsWhenThePoleLeansOrTheCartLeavesTheTrack) {
  EXPECT_FALSE(CartPole::has_failed({2.39, 0, 0.209, 0}));
  EXPECT_TRUE(CartPole::has_failed({2.41, 0, 0, 0}));
  EXPECT_TRUE(CartPole::has_failed({0, 0, -0.21, 0}));
  EXPECT_TRUE(TwinCartPole::has_failed({0, 0, 0, 0, 0, 0, 0.21, 0}));
  EXPECT_FALSE(TwinCartPole::has_failed({0, 5, 0, 5, 0, 5, 0, 5}));
}

TEST(ClassicLevels, DrawPhysicsFromTheirIds) {
  ClassicEnv<CartPole> random("classic/CartPole", Levels::kRandom, {.num_slots = 2});
  ClassicEnv<CartPole> fixed("classic/CartPole-Fixed", Levels::kFixed, {.num_slots = 2});
  StepBuffers buffers(random.spec());
  double least = 100;
  double greatest = 0;
  for (LevelId level = 0; level < 400; level += 2) {
    const std::vector<Start> starts = {{0, level}, {1, level + 1}};
    random.start(starts, buffers.batch());
    fixed.start(starts, buffers.batch());
    EXPECT_NE(random.physics(0), random.physics(1));
    EXPECT_EQ(fixed.physics(0), CartPole::Physics());
    EXPECT_EQ(fixed.state(0), random.state(0));  // the same first state
    least = std::min(least, random.physics(0).force);
    greatest = std::max(greatest, random.physics(0).force);
    EXPECT_GE(random.physics(0).half_length, 0.25);
    EXPECT_LE(random.physics(0).half_length, 0.75);
    EXPECT_GE(random.physics(0).pole_mass, 0.05);
    EXPECT_LE(random.physics(0).pole_mass, 0.5);
  }
  // 200 uniform numbers in [5, 15] miss an outer half with probability 0.95^200 < 4e-5.
  EXPECT_GE(least, 5);
  EXPECT_LT(least, 5.5);
  EXPECT_LE(greatest, 15);
  EXPECT_GT(greatest, 14.5);
}

TEST(ClassicLevels, AreSolvedByAnUprightEnd) {
  // Alternating pushes let the pole fall.
  SlotPlayer player(std::make_unique<ClassicEnv<CartPole>>("classic/CartPole", Levels::kRandom,
                                                           EnvOptions{.num_slots = 1}));
  player.start(0, 1);
  std::vector<Action> actions(500);
  for (std::size_t i = 0; i < actions.size(); ++i) actions[i] = static_cast<Action>(i % 2);
  player.run(0, actions);
  EXPECT_TRUE(player.last(0).terminated);
  EXPECT_FALSE(player.env().has_solved(0));
  EXPECT_TRUE(Pendulum::is_solved({2 * kPi + 0.1, -0.5}));
  EXPECT_FALSE(Pendulum::is_solved({kPi, 0}));
}

TEST(ClassicEnv, RefusesOptionsOfOtherFamilies) {
  const auto message = [](const EnvOptions& options) {
    return message_of<std::invalid_argument>([&] { family().make("classic/Pendulum", options); });
  };
  EXPECT_EQ(message({.observation = Observation::kView}),
            "observation: classic/Pendulum offers full only, not view");
  EXPECT_EQ(message({.seeding = LevelSeeding::kPcg64}),
            "seeding: classic/Pendulum offers default only, not pcg64");
  EXPECT_EQ(message({.maze = {.view_size = 7}}),
            "view_size: classic/Pendulum offers 5 only, not 7");
}

TEST(ClassicPicture, ShowsTheStateAndThePhysics) {
  const image::Image upright = draw(Pendulum::Physics(), Pendulum::State{0, 0}, 90);
  EXPECT_NE(upright.at({45, 20}), upright.at({45, 70}));  // above and below the joint
  const image::Image hanging = draw(Pendulum::Physics(), Pendulum::State{kPi, 0}, 90);
  EXPECT_EQ(hanging.at({45, 20}), upright.at({45, 70}));
  const auto cart = [](double half_length) {
    return draw(CartPole::Physics{.half_length = half_length}, CartPole::State{}, 200);
  };
  EXPECT_NE(cart(0.25), cart(0.75));
  const image::Image twins = draw(TwinCartPole::Physics(), TwinCartPole::State{}, 200);
  EXPECT_EQ(twins.height(), 2 * cart(0.5).height());
}

}  // namespace
}  // namespace plr::classic

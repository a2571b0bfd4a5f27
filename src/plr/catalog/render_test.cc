#include "plr/catalog/render.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "plr/catalog/make_env.h"
#include "plr/minigrid/step.h"

namespace plr::catalog {
namespace {

// An environment without a family.
class Screen final : public VectorEnv {
 public:
  explicit Screen(std::array<int, 3> shape) : VectorEnv(make_spec(shape)) {}

 private:
  static EnvSpec make_spec(std::array<int, 3> shape) {
    EnvSpec spec;
    spec.name = "screen";
    spec.num_slots = 1;
    spec.observation_shape = shape;
    spec.actions = ActionSpace::discrete(15);
    spec.max_steps = 10;
    return spec;
  }
  void start_level(int, LevelId, const StepBatch&) override {}
  void step_slots(SlotRange, std::span<const Action>, const StepBatch&) override {}
  void save_episode(int, ByteWriter&) const override {}
  void load_episode(int, LevelId, bool, ByteReader&) override {}
};

class DoorKey : public ::testing::Test {
 protected:
  void SetUp() override {
    const Start start = {0, 3};
    env_->start({&start, 1}, buffers_.batch());
  }
  void act(minigrid::Action action) {
    const Action number = static_cast<Action>(action);
    env_->step({0, 1}, {&number, 1}, buffers_.batch());
  }

  std::unique_ptr<VectorEnv> env_ = make_env("minigrid/MiniGrid-DoorKey-5x5-v0", {.num_slots = 1});
  StepBuffers buffers_{env_->spec()};
};

TEST_F(DoorKey, IsDrawnInItsCurrentState) {
  const image::Image before =
      render_frame(*env_, 0, buffers_.batch().observations, {.tile_size = 8});
  EXPECT_EQ(before.width(), 5 * 8);
  EXPECT_EQ(before.height(), 5 * 8);
  act(minigrid::Action::kLeft);
  EXPECT_NE(render_frame(*env_, 0, buffers_.batch().observations, {.tile_size = 8}), before);
  EXPECT_EQ(render_text(*env_, 0)->width, 5);
}

TEST_F(DoorKey, NamesItsActions) {
  EXPECT_EQ(action_name(*env_, 0), "left");
  EXPECT_EQ(action_name(*env_, static_cast<Action>(minigrid::Action::kPickUp)), "pick up");
  EXPECT_EQ(action_name(*env_, static_cast<Action>(minigrid::Action::kDone)), "done");
}

TEST_F(DoorKey, ReportsTheCarriedObject) {
  EXPECT_EQ(carried_object(*env_, 0), "");
  // Turns and tries to pick up until the key is found: the room in front of the door is small.
  using enum minigrid::Action;
  for (int i = 0; i < 40 && carried_object(*env_, 0).empty(); ++i) {
    for (const auto action : {kPickUp, kLeft, kPickUp, kForward}) {
      if (carried_object(*env_, 0).empty()) act(action);
    }
  }
  EXPECT_EQ(carried_object(*env_, 0), "yellow key");
}

TEST(RenderFrame, DrawsTheObservationOfAnEnvironmentWithoutAFamily) {
  const Screen screen({2, 3, 3});
  std::array<std::uint8_t, 18> bytes = {};
  bytes[15] = 10;  // row 1, column 2: red, green, blue
  bytes[16] = 20;
  bytes[17] = 30;
  const image::Image picture = render_frame(screen, 0, bytes);
  EXPECT_EQ(picture.width(), 384);  // 3 pixels, each 128 wide
  EXPECT_EQ(picture.height(), 256);
  EXPECT_EQ(picture.at({256, 128}), (image::Rgb{10, 20, 30}));
  EXPECT_EQ(picture.at({383, 255}), (image::Rgb{10, 20, 30}));
  EXPECT_EQ(picture.at({255, 128}), (image::Rgb{}));
  EXPECT_FALSE(render_text(screen, 0));
  EXPECT_EQ(action_name(screen, 12), "12");
}

TEST(RenderFrame, RefusesObservationsThatAreNotPictures) {
  const Screen screen({2, 2, 4});
  EXPECT_THROW(render_frame(screen, 0, std::array<std::uint8_t, 16>{}), std::invalid_argument);
}

}  // namespace
}  // namespace plr::catalog

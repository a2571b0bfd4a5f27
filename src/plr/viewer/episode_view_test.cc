#include "plr/viewer/episode_view.h"

#include <gtest/gtest.h>

#include "plr/catalog/make_env.h"

namespace plr::viewer {
namespace {

using terminal::Colors;
using Lines = std::vector<std::string>;

class EpisodeViewTest : public testing::Test {
 protected:
  EpisodeViewTest() {
    const Start start = {0, 0};
    env_->start({&start, 1}, buffers_.batch());
  }

  // The first step, with the decision.
  train::EpisodeState decided() const {
    train::EpisodeState state;
    state.output = decision_;
    return state;
  }

  std::unique_ptr<VectorEnv> env_ =
      catalog::make_env("minigrid/MiniGrid-Empty-5x5-v0", {.num_slots = 1});
  StepBuffers buffers_{env_->spec()};
  // Forward (2) with probability 0.7.
  train::PolicyOutput decision_ = {
      .action = {2},
      .probabilities = {0.05F, 0.05F, 0.7F, 0.05F, 0.05F, 0.05F, 0.05F},
      .value = 0.25F};
};

TEST_F(EpisodeViewTest, ShowsTheLevelBesideThePanel) {
  const Lines lines = step_view(
      *env_,
      {.step = 3, .reward = 0, .episode_return = 0.5, .output = decision_, .observation = {}},
      Colors::kNone, 80);
  EXPECT_EQ(lines[0], "#####    step     3 of 100");
  EXPECT_EQ(lines[2], "#   #    return   0.500");
  EXPECT_EQ(lines[3], "#  G#    value    0.250");
  EXPECT_EQ(lines[8], "       > forward   70%  ##############");
}

// Its observations are vectors, and it has no family that draws it.
class Vectors final : public VectorEnv {
 public:
  Vectors() : VectorEnv(make_spec()) {}

 private:
  static EnvSpec make_spec() {
    EnvSpec spec;
    spec.name = "test/vectors";
    spec.num_slots = 1;
    spec.observation_shape = {1, 1, 4};
    spec.observation_type = ElementType::kFloat;
    spec.actions = ActionSpace::discrete(2);
    spec.max_steps = 10;
    return spec;
  }
  void start_level(int, LevelId, const StepBatch&) override {}
  void step_slots(SlotRange, std::span<const Action>, const StepBatch&) override {}
  void save_episode(int, ByteWriter&) const override {}
  void load_episode(int, LevelId, bool, ByteReader&) override {}
};

TEST(EpisodeView, ShowsThePanelAloneIfThereAreNoPictures) {
  const Vectors env;
  train::EpisodeState state;
  state.output = {.action = {1}, .probabilities = {0.25F, 0.75F}, .value = 0.5F};
  EXPECT_EQ(step_view(env, state, Colors::kNone, 80)[0], "  step     0 of 10");
  EXPECT_EQ(transcript_level(env, state), Lines{});
}

TEST_F(EpisodeViewTest, PutsThePanelBelowOnANarrowScreen) {
  const Lines lines = step_view(*env_, decided(), Colors::kNone, 40);
  EXPECT_EQ(lines[4], "#####");
  EXPECT_EQ(lines[5], "  step     0 of 100");
}

TEST_F(EpisodeViewTest, HasAsManyLinesAtTheEndAsBefore) {
  EXPECT_EQ(step_view(*env_, {}, Colors::kNone, 80).size(),
            step_view(*env_, decided(), Colors::kNone, 80).size());
}

TEST_F(EpisodeViewTest, TranscribesAnActionInALine) {
  EXPECT_EQ(transcript_heading(), " step  action   probability    value   reward");
  EXPECT_EQ(transcript_line(*env_, 1, decision_, 0),
            "    1  forward        0.700    0.250    0.000");
  EXPECT_EQ(transcript_level(*env_, {}), (Lines{"#####", "#>  #", "#   #", "#  G#", "#####"}));
}

}  // namespace
}  // namespace plr::viewer

#include "plr/train/survey.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <utility>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/collect/collect_testing.h"
#include "plr/train/scripted_network_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

using collect::InferenceItem;
using collect::InferenceResult;

constexpr std::int64_t kLeft = 0;
constexpr std::int64_t kForward = 2;
constexpr int kMaxSteps = 4;

class SurveyTest : public ::testing::Test {
 protected:
  // Level 0: the goal is three moves ahead. Level 1: behind the agent, where it is never seen by an
  // agent that goes forward.
  std::unique_ptr<VectorEnv> make_env(int num_slots) const {
    const std::filesystem::path file = folder_ / "two.txt";
    write_text(file, ">..G.\n.....\n\n.G..>\n.....\n");
    return catalog::make_env("maze/file:" + file.string(),
                             {.num_slots = num_slots, .maze = {.max_steps = kMaxSteps}});
  }

  static Random stream() { return Streams(1).named("survey"); }

  TemporaryDirectory folder_;
};

// The reward of reaching the goal with the third action, as a float.
constexpr double kReward = 1.0F - 0.9F * 3 / kMaxSteps;

TEST_F(SurveyTest, CountsTheEpisodesThatEndWithinTheSteps) {
  const auto env = make_env(2);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  // Of 11 steps, level 0 takes 3 per episode and level 1 the limit of 4: the fourth episode of
  // level 0 and the third of level 1 do not end.
  const auto levels =
      survey(*env, backend, std::vector<LevelId>{0, 1}, {.num_steps = 11}, stream());
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].level, 0U);
  EXPECT_EQ(levels[0].episodes, 3);
  EXPECT_EQ(levels[0].successes, 3);
  EXPECT_NEAR(levels[0].return_sum, 3 * kReward, 1e-6);
  EXPECT_EQ(levels[1], (SurveyedLevel{.level = 1, .episodes = 2}));
  EXPECT_EQ(levels[1].success_rate(), 0);
}

TEST_F(SurveyTest, ZeroesTheStateOfTheNetworkAtEveryStart) {
  const auto env = make_env(1);
  // After three actions the agent turns: an episode with the state of the one before would fail,
  // and so would the second batch with the state of the first.
  learn::TorchBackend backend =
      with_actions(env->spec(), {kForward, kForward, kForward, kLeft, kLeft});
  const auto levels =
      survey(*env, backend, std::vector<LevelId>{0, 0}, {.num_steps = 10}, stream());
  ASSERT_EQ(levels.size(), 2U);
  for (const SurveyedLevel& level : levels) {
    EXPECT_EQ(level.episodes, 3);
    EXPECT_EQ(level.successes, 3);
  }
}

TEST_F(SurveyTest, PlaysMoreLevelsThanSlotsInBatches) {
  const auto env = make_env(2);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  // Five levels in batches of 2, 2 and 1.
  const std::vector<LevelId> asked = {0, 1, 1, 0, 2};  // level 2 is level 0 again
  const auto levels = survey(*env, backend, asked, {.num_steps = 8}, stream());
  ASSERT_EQ(levels.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(levels[i].level, asked[i]);
    EXPECT_EQ(levels[i].episodes, 2);
    EXPECT_EQ(levels[i].successes, asked[i] % 2 == 0 ? 2 : 0);
  }
}

TEST_F(SurveyTest, RepeatsForEqualStreamsOnly) {
  const auto env = catalog::make_env("maze/random-25", {.num_slots = 8});
  learn::TorchBackend backend = with_probabilities(env->spec(), {0.25, 0.25, 0.5, 0, 0, 0, 0});
  std::vector<LevelId> asked(20);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  constexpr SurveyOptions kOptions{.num_steps = 100};
  const auto levels = survey(*env, backend, asked, kOptions, stream());
  EXPECT_EQ(levels, survey(*env, backend, asked, kOptions, stream()));
  EXPECT_NE(levels, survey(*env, backend, asked, kOptions, Streams(2).named("survey")));
}

TEST_F(SurveyTest, ReturnsNothingWhenStopped) {
  const auto env = make_env(1);
  learn::TorchBackend backend = with_actions(env->spec(), {kForward});
  int num_steps = 0;
  const auto stop = [&] { return ++num_steps == 13; };  // in the second batch
  const auto levels =
      survey(*env, backend, std::vector<LevelId>{0, 1}, {.num_steps = 10}, stream(), stop);
  EXPECT_TRUE(levels.empty());
  EXPECT_EQ(num_steps, 13);
}

TEST_F(SurveyTest, DoesNotDependOnTheNumberOfWorkers) {
  const auto env = catalog::make_env("maze/random-25", {.num_slots = 3100});
  learn::TorchBackend backend = with_probabilities(env->spec(), {0.25, 0.25, 0.5, 0, 0, 0, 0});
  std::vector<LevelId> asked(3200);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  const auto levels = survey(*env, backend, asked, {.num_steps = 10, .num_workers = 1}, stream());
  const SurveyOptions three{.num_steps = 10, .num_workers = 3};
  EXPECT_EQ(levels, survey(*env, backend, asked, three, stream()));
}

// ---- Inference that takes any batch ------------------------------------------------------------

// A batch that was submitted.
struct Submission {
  std::size_t lane;
  int first_slot, num_slots;
  friend bool operator==(const Submission&, const Submission&) = default;
};

// Turns left with probability 1/4, else moves forward.
class LaneInference final : public collect::Inference {
 public:
  LaneInference(const EnvSpec& spec, bool is_broken, std::vector<Submission>& log)
      : observations_(static_cast<std::size_t>(spec.num_slots) * spec.observation_size()),
        results_(static_cast<std::size_t>(spec.num_slots)),
        is_broken_(is_broken),
        log_(log) {}
  std::span<std::uint8_t> observations() override { return observations_; }
  std::span<InferenceResult> results() override { return results_; }
  bool takes_any_batch() const override { return true; }
  std::size_t num_lanes() const override { return 4; }
  void refresh() override {}
  void check_device() override {}
  void submit(std::size_t lane, std::span<const InferenceItem> items) override {
    log_.push_back({lane, items.front().slot, static_cast<int>(items.size())});
    for (const InferenceItem& item : items) {
      if (is_broken_ && item.slot == 1) continue;
      const auto action = static_cast<float>(item.uniform < 0.25 ? kLeft : kForward);
      collect::write_result({action, 0, 0, 0}, results_[static_cast<std::size_t>(item.slot)]);
    }
  }

 private:
  std::vector<std::uint8_t> observations_;
  std::vector<InferenceResult> results_;
  bool is_broken_;  // does not write the result of slot 1
  std::vector<Submission>& log_;
};

class LaneBackend final : public learn::TorchBackend {
 public:
  LaneBackend(const EnvSpec& spec, bool is_broken)
      : TorchBackend(std::move(with_probabilities(spec, {0.25, 0, 0.75, 0, 0, 0, 0}).network())),
        spec_(spec),
        is_broken_(is_broken) {}
  std::unique_ptr<collect::Inference> make_inference(const learn::PolicyConfig&, std::size_t,
                                                     const learn::RolloutTensors&) override {
    return std::make_unique<LaneInference>(spec_, is_broken_, log);
  }

  std::vector<Submission> log;

 private:
  EnvSpec spec_;
  bool is_broken_;
};

TEST_F(SurveyTest, PlaysTwoGroupsOfSlotsInTurns) {
  const auto env = catalog::make_env("maze/random-25", {.num_slots = 9});
  std::vector<LevelId> asked(20);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = i;
  LaneBackend groups(env->spec(), /*is_broken=*/false);
  const auto levels = survey(*env, groups, asked, {.num_steps = 300}, stream());
  // The same numbers select the same actions of the same slots as in one group.
  learn::TorchBackend one_group = with_probabilities(env->spec(), {0.25, 0, 0.75, 0, 0, 0, 0});
  EXPECT_EQ(levels, survey(*env, one_group, asked, {.num_steps = 300}, stream()));

  ASSERT_EQ(groups.log.size(), 3 * 300 * 2U);  // batches of levels, steps, groups
  for (std::size_t i = 0; i < groups.log.size(); ++i) {
    EXPECT_EQ(groups.log[i], (i % 2 == 0 ? Submission{0, 0, 4} : Submission{1, 4, 5}));
  }
}

TEST_F(SurveyTest, PlaysASingleSlotWithInferenceOfSeveralLanes) {
  const auto env = make_env(1);
  LaneBackend backend(env->spec(), /*is_broken=*/false);
  EXPECT_EQ(survey(*env, backend, std::vector<LevelId>{0}, {.num_steps = 8}, stream()).size(), 1U);
}

TEST_F(SurveyTest, PassesOnAnExceptionOfTheEnvironment) {
  std::atomic<int> num_calls = 0;
  collect::CountdownEnv env(
      2100, 1, [](LevelId) { return 3; },
      [&](int slot) {
        if (slot == 2000 && ++num_calls == 4) throw std::runtime_error("out of order");
      });
  LaneBackend backend(env.spec(), /*is_broken=*/false);
  const SurveyOptions options{.num_steps = 10, .num_workers = 2};
  EXPECT_EQ(runtime_error_of([&] {
              survey(env, backend, std::vector<LevelId>{0, 1}, options, stream());
            }),
            "out of order");
}

TEST_F(SurveyTest, ReportsADeviceThatWritesNoResult) {
  const auto env = make_env(3);
  LaneBackend backend(env->spec(), /*is_broken=*/true);
  EXPECT_THROW(survey(*env, backend, std::vector<LevelId>{0, 1}, {.num_steps = 2}, stream()),
               std::runtime_error);
}

}  // namespace
}  // namespace plr::train

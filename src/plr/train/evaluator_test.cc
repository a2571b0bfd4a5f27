#include "plr/train/evaluator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/collect/collect_testing.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/train/scripted_network_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

std::unique_ptr<learn::Backend> untrained(const EnvSpec& spec) {
  return learn::make_backend(learn::make_grid_cnn_network(
      {spec.observation_shape[0], spec.observation_shape[1], 3, spec.actions}, {},
      Streams(1).named("init"), learn::Precision::kFp32, at::kCPU));
}

TEST(Evaluator, PlaysEachLevelOnceWhateverTheNumberOfSlots) {
  // 10 levels in 4 slots: two slots have one level less than the others.
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-8x8-v0", {.num_slots = 4});
  const std::unique_ptr<learn::Backend> backend = untrained(env->spec());
  Evaluator evaluator(*env, *backend);
  std::vector<LevelId> levels;
  for (LevelId level = 100; level < 110; ++level) levels.push_back(level);
  const Evaluation evaluation = evaluator.play(levels, false, Streams(1).named("test"));
  ASSERT_EQ(evaluation.episodes.size(), 10U);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(evaluation.episodes[i].level, levels[i]);
    EXPECT_GE(evaluation.episodes[i].length, 10);  // the goal is ten moves away
  }
}

TEST(Evaluator, RepeatsTheSameEpisodes) {
  const auto env = catalog::make_env("minigrid/MiniGrid-Empty-8x8-v0", {.num_slots = 4});
  const std::unique_ptr<learn::Backend> backend = untrained(env->spec());
  Evaluator evaluator(*env, *backend);
  const std::vector<LevelId> levels = {1, 2, 3, 4, 5};
  const Evaluation a = evaluator.play(levels, false, Streams(1).named("test"));
  const Evaluation b = evaluator.play(levels, false, Streams(1).named("test"));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(a.episodes[i].length, b.episodes[i].length);
    EXPECT_EQ(a.episodes[i].episode_return, b.episodes[i].episode_return);
  }
}

TEST(Evaluator, SlotsThatHavePlayedTheirLevelsLeaveTheBatches) {
  const TemporaryDirectory folder;
  // The agent goes forward: it reaches the goal of level 0 with one action, and never that of
  // level 1, which ends after 20 steps.
  write_text(folder / "levels.txt", ">G..\n\n.G>.\n");
  const auto env = catalog::make_env("maze/file:" + (folder / "levels.txt").string(),
                                     {.num_slots = 8, .maze = {.max_steps = 20}});
  std::int64_t num_rows = 0;
  learn::TorchBackend backend = scripted(
      env->spec(),
      [&num_rows](const at::Tensor& obs, const learn::Recurrence&) -> learn::Output {
        num_rows += obs.size(0);
        return {
            .logits =
                at::tensor({0.0F, 0.0F, 1000.0F, 0.0F, 0.0F, 0.0F, 0.0F}).expand({obs.size(0), 7}),
            .value = at::zeros({obs.size(0), 1})};
      },
      0);
  // Slots 0 and 1 play two levels, slots 2 to 7 one.
  const std::vector<LevelId> levels = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  const Evaluation evaluation =
      Evaluator(*env, backend).play(levels, false, Streams(1).named("test"));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(evaluation.episodes[i].level, levels[i]);
    EXPECT_EQ(evaluation.episodes[i].length, levels[i] == 0 ? 1 : 20);
    EXPECT_EQ(evaluation.episodes[i].is_solved, levels[i] == 0);
  }
  // A step of all slots, one of slots 0 and 1, 18 of slot 1, and one of slot 1's second level.
  EXPECT_EQ(num_rows, 8 + 2 + 18 + 1);
}

TEST(Evaluator, PassesOnAnExceptionOfTheEnvironment) {
  for (const int num_workers : {1, 2}) {
    for (const bool prefers_ranges : {false, true}) {
      std::atomic<int> num_calls = 0;  // starts of 4 levels, then steps
      collect::CountdownEnv env(
          4, num_workers, [](LevelId) { return 100; },
          [&](int) {
            if (++num_calls > 20) throw std::runtime_error("the environment has failed");
          },
          prefers_ranges);
      learn::TorchBackend backend = with_probabilities(env.spec(), {0.5, 0.25, 0.25});
      EXPECT_THROW(Evaluator(env, backend).play({1, 2, 3, 4}, false, Streams(1).named("test")),
                   std::runtime_error);
    }
  }
}

TEST(Evaluator, StepsRangesOfSlotsByOneCallIfTheEnvironmentPrefersIt) {
  // Slot s plays levels s and s + 4, of 1 to 8 steps.
  const std::vector<LevelId> levels = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<double> returns[2];
  for (const bool prefers_ranges : {false, true}) {
    collect::CountdownEnv env(
        4, 2, [](LevelId level) { return static_cast<int>(level) + 1; }, {}, prefers_ranges);
    learn::TorchBackend backend = with_probabilities(env.spec(), {0.5, 0.25, 0.25});
    for (const PlayedEpisode& e :
         Evaluator(env, backend).play(levels, false, Streams(1).named("test")).episodes) {
      EXPECT_EQ(e.length, static_cast<std::int64_t>(e.level) + 1);
      returns[prefers_ranges ? 1 : 0].push_back(e.episode_return);
    }
    // Slots end after 6, 8, 10 and 12 steps: the others are neighbors.
    EXPECT_EQ(env.num_step_calls(), prefers_ranges ? 12 : 6 + 8 + 10 + 12);
  }
  EXPECT_EQ(returns[0], returns[1]);
}

TEST(EvaluationSlots, GrowWithManyEpisodes) {
  EXPECT_EQ(evaluation_slots(3), 3);
  EXPECT_EQ(evaluation_slots(100), 64);
  EXPECT_EQ(evaluation_slots(1000), 250);
  EXPECT_EQ(evaluation_slots(1 << 20), 256);
}

TEST(Evaluation, HasTheMeansComputedByHand) {
  // Returns 0, 1, 2: mean 1, deviation 1, error 1/sqrt(3); two of three were solved.
  const Evaluation evaluation{{{.episode_return = 0, .length = 5, .is_solved = true},
                               {.episode_return = 1, .length = 7},
                               {.episode_return = 2, .length = 9, .is_solved = true}}};
  EXPECT_DOUBLE_EQ(evaluation.mean_return(), 1);
  EXPECT_NEAR(evaluation.standard_error(), 0.5773502691896258, 1e-15);
  EXPECT_NEAR(evaluation.success_rate(), 2.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(evaluation.mean_length(), 7);
}

}  // namespace
}  // namespace plr::train

#include "plr/train/planned_rollouts.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "plr/catalog/make_env.h"
#include "plr/core/rollout_replay.h"
#include "plr/core/sfl.h"

namespace plr::train {
namespace {

constexpr std::size_t kSlots = 6;
constexpr std::size_t kSteps = 40;

// Acts at random; the value is a function of the uniform number.
class RandomInference final : public collect::Inference {
 public:
  explicit RandomInference(const EnvSpec& spec)
      : observations_(kSlots * spec.observation_size()), results_(kSlots) {}
  std::span<std::uint8_t> observations() override { return observations_; }
  std::span<collect::InferenceResult> results() override { return results_; }
  bool takes_any_batch() const override { return true; }
  std::size_t num_lanes() const override { return 2; }
  void refresh() override {}
  void check_device() override {}
  void submit(std::size_t, std::span<const collect::InferenceItem> items) override {
    for (const collect::InferenceItem& item : items) {
      const auto action = static_cast<float>(static_cast<int>(item.uniform * 3));
      collect::write_result({action, 0, static_cast<float>(item.uniform), 0},
                            results_[static_cast<std::size_t>(item.slot)]);
    }
  }

 private:
  std::vector<std::uint8_t> observations_;
  std::vector<collect::InferenceResult> results_;
};

// Passes everything on, and keeps what it was told.
class Watched final : public RolloutCurriculum {
 public:
  explicit Watched(RolloutCurriculum& curriculum) : curriculum_(curriculum) {}
  const RolloutPlan& plan(std::size_t num_slots) override {
    planned = curriculum_.plan(num_slots);
    return planned;
  }
  void record(std::span<const RolloutResult> results) override {
    recorded.assign(results.begin(), results.end());
    curriculum_.record(results);
  }
  std::vector<LevelId> levels_to_survey() const override { return curriculum_.levels_to_survey(); }
  void record_survey(std::span<const double> rates) override { curriculum_.record_survey(rates); }
  std::vector<LevelId> levels_in_use() const override { return curriculum_.levels_in_use(); }
  std::vector<LevelWeight> weights() const override { return curriculum_.weights(); }
  std::vector<std::byte> save() const override { return curriculum_.save(); }
  void load(std::span<const std::byte> bytes) override { curriculum_.load(bytes); }

  RolloutPlan planned;
  std::vector<RolloutResult> recorded;

 private:
  RolloutCurriculum& curriculum_;
};

class PlannedRolloutsTest : public testing::Test {
 protected:
  static EnvOptions options(std::shared_ptr<const LevelStore> store) {
    EnvOptions options{.num_slots = kSlots};
    options.maze.max_steps = 15;
    options.store = std::move(store);
    return options;
  }
  static RolloutReplayConfig accel() {
    RolloutReplayConfig config{.num_edits = 5};
    config.buffer.capacity = 16;
    return config;
  }

  std::shared_ptr<LevelStore> store = std::make_shared<LevelStore>();
  std::unique_ptr<VectorEnv> env = catalog::make_env("maze/random-25", options(store));
  RandomInference inference{env->spec()};
  RewardNormalizer normalizer{{.normalize_rewards = false}, kSlots};
  collect::StepLog log{{.num_steps = kSteps, .num_slots = kSlots}};
  collect::Collector collector{{*env, nullptr, nullptr, normalizer, inference, log},
                               Streams(1).named("actions")};
  collect::StepTables rollout{kSteps, kSlots};
  RolloutReplay replay{env->spec().full_distribution, accel(),
                       catalog::level_tools("maze/random-25", options(store), store),
                       Streams(1).named("levels")};
};

TEST_F(PlannedRolloutsTest, TheLevelOfEveryTransitionIsTheLevelThatIsScored) {
  Watched watched(replay);
  const Discounts discounts = {.gamma = 0.9, .lambda = 0.8};
  PlannedRollouts rollouts({watched, collector, *store}, discounts);
  std::set<RolloutKind> kinds;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(rollouts.play(rollout, {}));
    kinds.insert(watched.planned.kind);
    EXPECT_EQ(rollouts.plan().levels, watched.planned.levels);
    std::vector<int> num_ends(kSlots);
    std::vector<double> best = watched.planned.best_returns;
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t slot = 0; slot < kSlots; ++slot) {
        ASSERT_EQ(rollout.levels[step][slot], watched.planned.levels[slot]);
        num_ends[slot] += rollout.done[step][slot];
        // An episode of the maze is paid at its end, if at all.
        best[slot] = std::max(best[slot], static_cast<double>(rollout.rewards[step][slot]));
      }
    }
    ASSERT_EQ(watched.recorded.size(), kSlots);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      EXPECT_EQ(watched.recorded[slot].episodes, num_ends[slot]);
      EXPECT_EQ(watched.recorded[slot].best_return, best[slot]);
    }
  }
  EXPECT_EQ(kinds.size(), 3);
  EXPECT_EQ(rollouts.num_unmeasured(), 0);
}

TEST_F(PlannedRolloutsTest, DropsStoredLevelsThatAreNotInUse) {
  PlannedRollouts rollouts({replay, collector, *store}, {});
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(rollouts.play(rollout, {}));
  const std::size_t num_stored = store->size();
  rollouts.drop_unused_levels();
  EXPECT_LT(store->size(), num_stored);
  for (const LevelId level : replay.levels_in_use()) {
    EXPECT_TRUE(!is_stored(level) || store->contains(level));
  }
  for (const LevelId level : collector.levels()) {
    EXPECT_TRUE(!is_stored(level) || store->contains(level));
  }
  ASSERT_TRUE(rollouts.play(rollout, {}));  // parents and replayed levels are still there
}

TEST_F(PlannedRolloutsTest, AStoppedSurveyChangesNothing) {
  Sfl sfl(env->spec().full_distribution, {.num_surveyed = 9, .num_kept = 3},
          Streams(1).named("levels"));
  bool is_stopped = true;
  const auto survey = [&](std::span<const LevelId> levels) -> std::optional<std::vector<double>> {
    EXPECT_EQ(levels.size(), 9);
    if (is_stopped) return std::nullopt;
    return std::vector<double>(levels.size(), 0.5);
  };
  PlannedRollouts rollouts({sfl, collector, *store}, {});
  const std::vector<std::byte> before = sfl.save();
  EXPECT_FALSE(rollouts.play(rollout, survey));
  EXPECT_EQ(sfl.save(), before);
  EXPECT_EQ(collector.episodes().num_episodes(), 0);
  is_stopped = false;
  EXPECT_TRUE(rollouts.play(rollout, survey));
  EXPECT_EQ(sfl.levels_in_use().size(), 3);
}

}  // namespace
}  // namespace plr::train

// The order of events in a rollout, shown by a scripted environment and curriculum.
#include "plr/train/collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plr/learn/grid_cnn_network.h"

namespace plr::train {
namespace {

// Episodes last as many steps as their level says; each step of level L is rewarded with L.
class CountdownEnv final : public VectorEnv {
 public:
  explicit CountdownEnv(int num_slots) : VectorEnv(make_spec(num_slots)), left_(num_slots) {}

 private:
  static EnvSpec make_spec(int num_slots) {
    EnvSpec spec;
    spec.name = "test/countdown";
    spec.num_slots = num_slots;
    spec.observation_shape = {8, 8, 3};
    spec.num_actions = 2;
    spec.max_steps = 1'000;
    spec.last_level = 999;
    spec.full_distribution = LevelSet::stream(0, 1'000);
    return spec;
  }
  void show(int slot, const StepBatch& out) const {
    out.observations[static_cast<std::size_t>(slot) * spec().observation_size()] =
        static_cast<std::uint8_t>(left_[static_cast<std::size_t>(slot)]);
  }
  void start_levels(int /*lane*/, std::span<const Start> starts, const StepBatch& out) override {
    for (const Start& start : starts) {
      left_[static_cast<std::size_t>(start.slot)] = static_cast<int>(start.level);
      show(start.slot, out);
    }
  }
  void step_slots(int /*lane*/, SlotRange slots, std::span<const Action>,
                  const StepBatch& out) override {
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      --left_[i];
      out.rewards[i] = static_cast<double>(*level(slot));
      out.terminated[i] = left_[i] == 0 ? 1 : 0;
      out.truncated[i] = 0;
      show(slot, out);
    }
  }
  void save_episode(int slot, ByteWriter& out) const override {
    out.number<std::int32_t>(left_[static_cast<std::size_t>(slot)]);
  }
  void load_episode(int slot, LevelId, bool, ByteReader& in) override {
    const auto left = in.number<std::int32_t>();
    in.expect_end();
    left_[static_cast<std::size_t>(slot)] = left;
  }
  std::vector<int> left_;
};

// Returns a given list of levels and logs every draw and record.
class Scripted final : public Curriculum {
 public:
  explicit Scripted(std::vector<LevelId> levels) : levels_(std::move(levels)) {}
  LevelId next() override {
    events.push_back("draw " + std::to_string(levels_.at(next_)));
    return levels_[next_++];
  }
  void record(const EpisodeResult& result) override {
    events.push_back("record " + std::to_string(result.level) + " return " +
                     std::to_string(static_cast<int>(result.episode_return)));
  }
  std::vector<LevelWeight> weights() const override { return {}; }
  std::vector<std::byte> save() const override { return {}; }
  void load(std::span<const std::byte>) override {}

  std::vector<std::string> events;

 private:
  std::vector<LevelId> levels_;
  std::size_t next_ = 0;
};

struct Fixture {
  explicit Fixture(std::vector<LevelId> levels, std::size_t num_steps, int groups)
      : env(3),
        curriculum(std::move(levels)),
        backend(learn::make_backend(learn::make_grid_cnn_network(
            {8, 8, 3, 2}, {}, Streams(1).named("init"), learn::Precision::kFp32, at::kCPU))),
        scorer({}, 3, num_steps),
        normalizer({}, 3),
        rollout({num_steps, 3}, backend->network().shape(), at::kCPU),
        collector({env, curriculum, scorer, normalizer, *backend}, Streams(1).named("actions"),
                  groups) {
    collector.begin(rollout);
  }

  CountdownEnv env;
  Scripted curriculum;
  std::unique_ptr<learn::Backend> backend;
  EpisodeScorer scorer;
  RewardNormalizer normalizer;
  learn::Rollout rollout;
  Collector collector;
};

TEST(Collector, RecordsAllEndedEpisodesBeforeDrawingLevelsInSlotOrder) {
  // Slots 0 and 2 end at the second step; the unfinished episode of slot 1 is recorded last.
  Fixture f({2, 9, 2, 5, 6}, 2, 1);
  f.curriculum.events.clear();
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.curriculum.events,
            (std::vector<std::string>{"record 2 return 4", "record 2 return 4", "draw 5", "draw 6",
                                      "record 9 return 0"}));
}

TEST(Collector, GroupsRecordAndDrawOneAfterTheOther) {
  // The first group is slot 0, the second slots 1 and 2.
  Fixture f({2, 9, 2, 5, 6}, 2, 2);
  f.curriculum.events.clear();
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.curriculum.events,
            (std::vector<std::string>{"record 2 return 4", "draw 5", "record 2 return 4", "draw 6",
                                      "record 9 return 0"}));
}

TEST(Collector, RowsHaveTheLevelDoneFlagAndObservationOfTheSameStep) {
  for (const int groups : {1, 2, 3}) {
    Fixture f({1, 2, 3, 7, 8, 9}, 2, groups);
    f.collector.fill(f.rollout);
    const auto row = [](auto&& values) { return std::vector<int>(values.begin(), values.end()); };
    // Level 1 ends at once and 7 follows; level 2 ends at the second step.
    EXPECT_EQ(row(f.rollout.levels[0]), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(row(f.rollout.levels[1]), (std::vector<int>{7, 2, 3}));
    EXPECT_EQ(row(f.rollout.done[0]), (std::vector<int>{1, 0, 0}));
    EXPECT_EQ(row(f.rollout.done[1]), (std::vector<int>{0, 1, 0}));
    // The observation is the countdown before each action; row 2 opens the next rollout.
    const auto countdown = [&](int step, int slot) {
      return f.rollout.obs()[step][slot][0][0][0].item<int>();
    };
    EXPECT_EQ(countdown(0, 0), 1);
    EXPECT_EQ(countdown(1, 0), 7);
    EXPECT_EQ(countdown(2, 0), 6);
    EXPECT_EQ(countdown(2, 1), 8);
  }
}

TEST(Collector, ActionsDoNotDependOnTheNumberOfGroupsWhileNoEpisodeEnds) {
  for (const int groups : {2, 3}) {
    Fixture one({50, 60, 70}, 5, 1);
    Fixture more({50, 60, 70}, 5, groups);
    for (int rollouts = 0; rollouts < 2; ++rollouts) {
      one.collector.fill(one.rollout);
      more.collector.fill(more.rollout);
      EXPECT_TRUE(std::ranges::equal(one.rollout.actions.all(), more.rollout.actions.all()));
      EXPECT_TRUE(at::equal(one.rollout.obs(), more.rollout.obs()));
    }
  }
}

TEST(Collector, CountsReturnsAndLengthsAcrossRollouts) {
  Fixture f({3, 50, 50, 50}, 2, 1);
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.collector.episodes().num_episodes(), 0U);
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.collector.episodes().num_episodes(), 1U);
  EXPECT_EQ(f.collector.episodes().mean_return(), 9);
  EXPECT_EQ(f.collector.episodes().mean_length(), 3);
}

}  // namespace
}  // namespace plr::train

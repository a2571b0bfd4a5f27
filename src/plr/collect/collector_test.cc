// The order of events in a rollout, shown by a scripted environment and curriculum.
#include "plr/collect/collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/collect/collect_testing.h"

namespace plr::collect {
namespace {

struct Fixture {
  // Level L lasts L steps, level 0 one.
  explicit Fixture(std::vector<LevelId> levels, std::size_t num_steps, int num_workers = 1)
      : env(3, num_workers, [](LevelId level) { return std::max(1, static_cast<int>(level)); }),
        curriculum(std::move(levels)),
        inference(3, static_cast<int>(num_steps), true),
        scorer({}, 3, num_steps),
        normalizer({}, 3),
        rollout(num_steps, 3),
        log({.num_steps = num_steps, .num_slots = 3}),
        collector({env, &curriculum, &scorer, normalizer, inference, log},
                  Streams(1).named("actions")) {
    collector.begin();
  }

  // What the environment has paid for the actions of a slot.
  int actions_of(std::size_t slot, std::size_t first, std::size_t end) const {
    int sum = 0;
    for (std::size_t step = first; step < end; ++step) sum += rollout.actions[step][slot];
    return sum;
  }

  CountdownEnv env;
  Scripted curriculum;
  FakeInference inference;
  EpisodeScorer scorer;
  RewardNormalizer normalizer;
  StepTables rollout;
  StepLog log;
  Collector collector;
};

TEST(Collector, RecordsAllEndedEpisodesBeforeDrawingLevelsInSlotOrder) {
  for (const int num_workers : {1, 2, 3}) {
    // Slots 0 and 2 end at the second step; the unfinished episode of slot 1 is recorded last.
    Fixture f({2, 9, 2, 5, 6}, 2, num_workers);
    f.curriculum.events.clear();
    f.collector.fill(f.rollout);
    const auto record = [&](std::size_t slot) {
      return "record 2 return " + std::to_string(4 + f.actions_of(slot, 0, 2));
    };
    EXPECT_EQ(f.curriculum.events, (std::vector<std::string>{record(0), record(2), "draw 5",
                                                             "draw 6", "record 9 return 0"}));
  }
}

TEST(Collector, RowsHaveTheLevelDoneFlagAndObservationOfTheSameStep) {
  for (const int num_workers : {1, 2, 3}) {
    Fixture f({1, 2, 3, 7, 8, 9}, 2, num_workers);
    f.collector.fill(f.rollout);
    const auto row = [](auto&& values) { return std::vector<int>(values.begin(), values.end()); };
    // Level 1 ends at once and 7 follows; level 2 ends at the second step.
    EXPECT_EQ(row(f.rollout.levels[0]), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(row(f.rollout.levels[1]), (std::vector<int>{7, 2, 3}));
    EXPECT_EQ(row(f.rollout.done[0]), (std::vector<int>{1, 0, 0}));
    EXPECT_EQ(row(f.rollout.done[1]), (std::vector<int>{0, 1, 0}));
    // The observation holds the countdown before each action; row 2 opens the next rollout.
    const auto countdown = [&](std::size_t step, std::size_t slot) {
      return f.inference.history()[(step * 3 + slot) * CountdownEnv::kObsBytes + 1];
    };
    EXPECT_EQ(countdown(0, 0), 1);
    EXPECT_EQ(countdown(1, 0), 7);
    EXPECT_EQ(countdown(2, 0), 6);
    EXPECT_EQ(countdown(2, 1), 8);
  }
}

TEST(Collector, ValuesBelongToTheObservationsOfAllRows) {
  Fixture f({1, 2, 3, 7, 8, 9}, 2);
  f.collector.fill(f.rollout);
  const std::span<const float> values = f.rollout.values.all();
  ASSERT_EQ(values.size(), 3 * 3);  // the last row is that after the last step
  const std::span<const std::uint8_t> observations = f.inference.history();
  for (std::size_t i = 0; i < values.size(); ++i) {
    constexpr auto kBytes = static_cast<std::size_t>(CountdownEnv::kObsBytes);
    EXPECT_EQ(values[i], FakeInference::value_of(observations.subspan(i * kBytes, kBytes)));
  }
}

TEST(Collector, TakesUniformNumbersByStepAndSlot) {
  Fixture f({50, 60, 70}, 5);
  Random expected = Streams(1).named("actions");
  for (int rollouts = 0; rollouts < 2; ++rollouts) {
    f.collector.fill(f.rollout);
    for (const float log_prob : f.rollout.log_probs.all()) {  // of FakeInference: the number itself
      EXPECT_EQ(log_prob, static_cast<float>(expected.uniform()));
    }
  }
}

TEST(Collector, CountsReturnsAndLengthsAcrossRollouts) {
  Fixture f({3, 50, 50, 2, 50}, 2);
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.collector.episodes().num_episodes(), 0U);
  int paid = f.actions_of(0, 0, 2);
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.collector.episodes().num_episodes(), 1U);
  paid += f.actions_of(0, 0, 1);
  EXPECT_EQ(f.collector.episodes().mean_return(), 3 * 3 + paid);
  EXPECT_EQ(f.collector.episodes().mean_length(), 3);
  // The episode of level 2 begins at zero.
  paid += f.actions_of(0, 1, 2);
  f.collector.fill(f.rollout);
  EXPECT_EQ(f.collector.episodes().num_episodes(), 2U);
  paid += f.actions_of(0, 0, 1);
  EXPECT_EQ(f.collector.episodes().mean_return(), (3 * 3 + 2 * 2 + paid) / 2.0);
  EXPECT_EQ(f.collector.episodes().mean_length(), (3 + 2) / 2.0);
}

TEST(Collector, CountsEpisodesWhoseLastActionIsRewardedAsSolved) {
  // Every step is an episode, rewarded with its action: 0, 1 or 2.
  Fixture f(std::vector<LevelId>(33, 0), 10);
  f.collector.fill(f.rollout);
  const auto num_lost = std::ranges::count(f.rollout.actions.all(), 0);
  EXPECT_GT(num_lost, 0);
  EXPECT_LT(num_lost, 30);
  EXPECT_DOUBLE_EQ(f.collector.episodes().success_rate(), 1 - static_cast<double>(num_lost) / 30);
}

TEST(Collector, OneWorkerMakesOneBatchPerStep) {
  // Every step ends the episodes of all slots, or of one, which start levels between batches.
  std::vector<LevelId> of_all(60, 1);
  std::vector<LevelId> of_one = of_all;
  of_one[0] = of_one[1] = 50;
  for (const std::vector<LevelId>& levels : {of_all, of_one}) {
    Fixture f(levels, 10);
    f.collector.fill(f.rollout);
    EXPECT_EQ(f.inference.batch_sizes, std::vector<std::size_t>(11, 3));
  }
}

TEST(Collector, PassesOnTheExceptionsOfAllParts) {
  for (const int num_workers : {1, 3}) {
    Fixture no_levels_left({2, 9, 9}, 4, num_workers);  // the curriculum throws
    EXPECT_THROW(no_levels_left.collector.fill(no_levels_left.rollout), std::out_of_range);

    std::atomic<int> num_starts = 0;
    CountdownEnv env(2, num_workers, [&](LevelId) {
      if (++num_starts > 2) throw std::runtime_error("no such level");
      return 1;
    });
    Scripted curriculum(std::vector<LevelId>(60, 1));
    FakeInference inference(2, 4, true);
    EpisodeScorer scorer({}, 2, 4);
    RewardNormalizer normalizer({}, 2);
    StepTables rollout(4, 2);
    StepLog log({.num_steps = 4, .num_slots = 2});
    Collector collector({env, &curriculum, &scorer, normalizer, inference, log},
                        Streams(1).named("actions"));
    collector.begin();
    EXPECT_THROW(collector.fill(rollout), std::runtime_error);
  }
}

TEST(Collector, PassesOnTheExceptionOfAStepOfManySlots) {
  for (const int num_workers : {1, 2}) {
    std::atomic<int> num_calls = 0;
    const auto fail = [&](int) {
      if (++num_calls > 8) throw std::runtime_error("the process has ended");
    };
    CountdownEnv env(
        4, num_workers, [](LevelId) { return 100; }, fail, true);
    FakeInference inference(4, 5, false);
    RewardNormalizer normalizer({}, 4);
    StepTables rollout(5, 4);
    StepLog log({.num_steps = 5, .num_slots = 4});
    Collector collector({env, nullptr, nullptr, normalizer, inference, log},
                        Streams(1).named("actions"));
    EXPECT_THROW(collector.fill(rollout, std::vector<LevelId>{1, 2, 3, 4}), std::runtime_error);
  }
}

// Rollouts on given levels, which are repeated.
struct RepeatFixture {
  explicit RepeatFixture(int num_workers = 1, Delay delay = {})
      : env(
            3, num_workers, [](LevelId level) { return static_cast<int>(level); },
            std::move(delay)),
        inference(3, 5, true),
        normalizer({}, 3),
        rollout(5, 3),
        log({.num_steps = 5, .num_slots = 3}),
        collector({env, nullptr, nullptr, normalizer, inference, log},
                  Streams(1).named("actions")) {}

  CountdownEnv env;
  FakeInference inference;
  RewardNormalizer normalizer;
  StepTables rollout;
  StepLog log;
  Collector collector;
};

TEST(Collector, RepeatsGivenLevelsUntilTheRolloutEnds) {
  for (const int num_workers : {1, 2, 3}) {
    RepeatFixture f(num_workers);
    f.collector.fill(f.rollout, std::vector<LevelId>{2, 9, 1});
    const auto column = [](const auto& table, std::size_t slot) {
      std::vector<int> values;
      for (std::size_t step = 0; step < 5; ++step) values.push_back(table[step][slot]);
      return values;
    };
    for (std::size_t step = 0; step < 5; ++step) {
      const auto levels = f.rollout.levels[step];
      EXPECT_EQ((std::vector<LevelId>{levels.begin(), levels.end()}),
                (std::vector<LevelId>{2, 9, 1}));
    }
    EXPECT_EQ(column(f.rollout.done, 0), (std::vector<int>{0, 1, 0, 1, 0}));
    EXPECT_EQ(column(f.rollout.begins, 0), (std::vector<int>{1, 0, 1, 0, 1}));
    EXPECT_EQ(column(f.rollout.done, 1), (std::vector<int>{0, 0, 0, 0, 0}));
    EXPECT_EQ(column(f.rollout.done, 2), (std::vector<int>{1, 1, 1, 1, 1}));
    // The observations are those of the levels.
    for (std::size_t step = 0; step < 5; ++step) {
      const std::size_t row = step * 3 * CountdownEnv::kObsBytes;
      EXPECT_EQ(f.inference.history()[row], 2);
      EXPECT_EQ(f.inference.history()[row + CountdownEnv::kObsBytes], 9);
    }
    EXPECT_EQ(f.collector.episodes().num_episodes(), 2U + 5U);
  }
}

TEST(Collector, GivenLevelsBeginNewEpisodesInEveryRollout) {
  RepeatFixture f;
  f.collector.fill(f.rollout, std::vector<LevelId>{2, 9, 1});
  const auto after_first = f.collector.episodes().num_episodes();
  // Level 9 begins again: four of its steps were played in a rollout of five.
  f.collector.fill(f.rollout, std::vector<LevelId>{9, 9, 4});
  EXPECT_EQ(f.rollout.begins[0][1], 1);
  EXPECT_EQ(f.inference.history()[CountdownEnv::kObsBytes + 1], 9);  // steps left
  EXPECT_EQ(f.rollout.done[3][2], 1);
  EXPECT_EQ(f.collector.episodes().num_episodes(), after_first + 1);
}

}  // namespace
}  // namespace plr::collect

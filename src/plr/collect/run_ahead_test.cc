// Rollouts do not depend on threads and timing: tests with delays at random places.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include "plr/collect/collect_testing.h"
#include "plr/collect/collector.h"
#include "plr/core/level_replay.h"

namespace plr::collect {
namespace {

constexpr int kNumSlots = 12;
constexpr int kNumSteps = 40;
constexpr int kNumRollouts = 3;

// Everything that a run leaves.
struct Outcome {
  std::vector<std::int32_t> actions;
  std::vector<float> numbers;  // log-probabilities, values, rewards
  std::vector<LevelId> levels;
  std::vector<std::uint8_t> bytes;  // ends and observations
  std::vector<std::byte> states;    // curriculum, scorer, normalizer, collector
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <class To, class From>
void append(To& to, const From& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct Setting {
  CountdownEnv::Length length;
  int num_workers = 1;
  bool takes_any_batch = true;
  Delay env_delay = {};
  Delay inference_delay = {};
  bool prefers_ranges = false;
};

class TestRun {
 public:
  explicit TestRun(const Setting& setting)
      : env_(kNumSlots, setting.num_workers, setting.length, setting.env_delay,
             setting.prefers_ranges),
        curriculum_(LevelSet::range(0, 200), {}, Streams(3).named("levels")),
        inference_(kNumSlots, kNumSteps, setting.takes_any_batch, setting.inference_delay),
        scorer_({}, kNumSlots, kNumSteps),
        normalizer_({}, kNumSlots),
        rollout_(kNumSteps, kNumSlots),
        log_({.num_steps = kNumSteps, .num_slots = kNumSlots}),
        collector_({env_, &curriculum_, &scorer_, normalizer_, inference_, log_},
                   Streams(3).named("actions")) {}

  void begin() { collector_.begin(); }

  void fill(Outcome& outcome) {
    collector_.fill(rollout_);
    append(outcome.actions, rollout_.actions.all());
    append(outcome.numbers, rollout_.log_probs.all());
    append(outcome.numbers, rollout_.values.all());
    append(outcome.numbers, rollout_.rewards.all());
    append(outcome.levels, rollout_.levels.all());
    append(outcome.bytes, rollout_.done.all());
    append(outcome.bytes, inference_.history());
    append(outcome.states, curriculum_.save());
    append(outcome.states, scorer_.save());
    append(outcome.states, normalizer_.save());
    append(outcome.states, collector_.save(collector_.slot_states()));
  }

  void continue_from(const TestRun& other) {
    curriculum_.load(other.curriculum_.save());
    scorer_.load(other.scorer_.save());
    normalizer_.load(other.normalizer_.save());
    collector_.load(other.collector_.save(other.collector_.slot_states()));
  }

  CountdownEnv env_;
  LevelReplay curriculum_;
  FakeInference inference_;
  EpisodeScorer scorer_;
  RewardNormalizer normalizer_;
  StepTables rollout_;
  StepLog log_;
  Collector collector_;
};

Outcome outcome_of(const Setting& setting) {
  TestRun run(setting);
  run.begin();
  Outcome outcome;
  for (int i = 0; i < kNumRollouts; ++i) run.fill(outcome);
  return outcome;
}

// Sleeps or spins at random; the seed decides where, threads and clocks when.
Delay random_delay(std::uint64_t seed) {
  return [seed](int slot) {
    thread_local Random random = Streams(seed).named(
        "delay/" +
        std::to_string(static_cast<int>(std::hash<std::thread::id>{}(std::this_thread::get_id()))));
    const auto draw = random.below(100);
    if (draw == 0) std::this_thread::sleep_for(std::chrono::microseconds(200 + 20 * slot));
    if (draw < 30) std::this_thread::yield();
  };
}

struct Case {
  std::string name;
  CountdownEnv::Length length;
};

std::vector<Case> cases() {
  return {{"levels of all lengths", [](LevelId level) { return 1 + static_cast<int>(level) % 23; }},
          {"episodes of one step", [](LevelId) { return 1; }},
          {"all slots end at once", [](LevelId) { return 8; }},
          {"no episode ends in the first rollout", [](LevelId) { return kNumSteps + 5; }}};
}

// Compares runs with these numbers of workers and random delays with one of a single worker, which
// steps slot by slot.
void expect_same_outcomes(std::initializer_list<int> workers, bool prefers_ranges) {
  for (const Case& c : cases()) {
    const Outcome expected = outcome_of({.length = c.length});
    for (const int num_workers : workers) {
      for (const bool takes_any_batch : {true, false}) {
        const auto seed = static_cast<std::uint64_t>(num_workers);
        const Outcome outcome = outcome_of({.length = c.length,
                                            .num_workers = num_workers,
                                            .takes_any_batch = takes_any_batch,
                                            .env_delay = random_delay(seed),
                                            .inference_delay = random_delay(seed + 100),
                                            .prefers_ranges = prefers_ranges});
        EXPECT_TRUE(outcome == expected)
            << c.name << ", " << num_workers << " workers, any batch: " << takes_any_batch;
      }
    }
  }
}

TEST(RunAhead, IsBitwiseIdenticalForAnyWorkersAndTiming) {
  expect_same_outcomes({1, 2, 3, 5, 12, 13}, false);
}

TEST(RunAhead, IsBitwiseIdenticalIfSlotsStepTogether) { expect_same_outcomes({1, 2, 5}, true); }

TEST(RunAhead, AllSlotsStepByOneCallIfTheEnvironmentPrefersIt) {
  for (const bool prefers_ranges : {true, false}) {
    TestRun run({.length = [](LevelId) { return 1'000; },
                 .takes_any_batch = false,
                 .prefers_ranges = prefers_ranges});
    run.begin();
    Outcome outcome;
    run.fill(outcome);
    EXPECT_EQ(run.env_.num_step_calls(), prefers_ranges ? kNumSteps : kNumSteps * kNumSlots);
  }
}

TEST(RunAhead, ASlowSlotDoesNotHoldUpOthers) {
  // Slot 0 takes its sixth step only after all others have finished the rollout.  No episode ends,
  // so that they need not wait for it.
  const auto length = [](LevelId) { return 1'000; };
  const CountdownEnv* env = nullptr;
  bool have_others_finished = false;
  const auto wait_for_others = [&](int slot) {
    if (slot != 0 || env == nullptr || env->num_steps(0) != 5) return;
    const auto has_finished = [&](int other) { return env->num_steps(other) == kNumSteps; };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!have_others_finished && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
      have_others_finished = std::ranges::all_of(std::views::iota(1, int{kNumSlots}), has_finished);
    }
  };
  TestRun run({.length = length, .num_workers = 3, .env_delay = wait_for_others});
  run.begin();
  env = &run.env_;
  Outcome outcome;
  run.fill(outcome);
  EXPECT_TRUE(have_others_finished);

  TestRun alone({.length = length});
  alone.begin();
  Outcome expected;
  alone.fill(expected);
  EXPECT_TRUE(outcome == expected);
}

TEST(RunAhead, FixedBatchesHaveAllSlots) {
  TestRun run({.length = [](LevelId level) { return 1 + static_cast<int>(level) % 5; },
               .num_workers = 3,
               .takes_any_batch = false});
  run.begin();
  Outcome outcome;
  run.fill(outcome);
  EXPECT_EQ(run.inference_.batch_sizes,
            std::vector<std::size_t>(kNumSteps + 1, std::size_t{kNumSlots}));
}

TEST(RunAhead, ASavedCollectorContinuesIdenticallyWithOtherWorkers) {
  const auto length = [](LevelId level) { return 1 + static_cast<int>(level) % 23; };
  TestRun whole({.length = length});
  whole.begin();
  Outcome first;
  whole.fill(first);
  TestRun resumed({.length = length, .num_workers = 4, .env_delay = random_delay(7)});
  resumed.continue_from(whole);
  Outcome expected;
  Outcome outcome;
  whole.fill(expected);
  resumed.fill(outcome);
  EXPECT_TRUE(outcome == expected);
}

TEST(RunAhead, BlockedWorkersContinue) {
  // Inference takes so long that idle workers block.
  const auto slow = [](int slot) {
    if (slot == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const auto length = [](LevelId level) { return 1 + static_cast<int>(level) % 23; };
  const Outcome expected = outcome_of({.length = length});
  for (const bool takes_any_batch : {true, false}) {
    const Outcome outcome = outcome_of({.length = length,
                                        .num_workers = 4,
                                        .takes_any_batch = takes_any_batch,
                                        .inference_delay = slow});
    EXPECT_TRUE(outcome == expected);
  }
}

}  // namespace
}  // namespace plr::collect

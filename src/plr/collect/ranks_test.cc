// Rollouts of several ranks equal those of one: each rank is a thread with parts of its own.
#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "plr/collect/collect_testing.h"
#include "plr/collect/collector.h"
#include "plr/collect/shared_memory.h"
#include "plr/core/level_replay.h"

namespace plr::collect {
namespace {

constexpr int kNumSlots = 8;
constexpr int kNumSteps = 40;
constexpr int kNumRollouts = 4;

// What every rank must agree on.
struct Outcome {
  std::vector<std::int32_t> actions;
  std::vector<float> numbers;
  std::vector<LevelId> levels;
  std::vector<std::byte> states;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Setting {
  int num_workers = 1;
  bool takes_any_batch = true;
  std::size_t num_groups = 1;  // of one rank
  Delay delay = {};
  bool repeats_levels = false;
};

int length_of(LevelId level) { return 1 + static_cast<int>(level) % 23; }

// One rank of a run.
class Rank {
 public:
  Rank(const StepLogShape& shape, std::span<std::byte> memory, const Setting& setting)
      : log_(shape, memory),
        env_(log_.own_slots().size(), setting.num_workers, length_of, setting.delay),
        curriculum_(LevelSet::range(0, 200), {}, Streams(3).named("levels")),
        inference_(log_.own_slots().size(), kNumSteps, setting.takes_any_batch),
        scorer_({}, kNumSlots, kNumSteps),
        normalizer_({}, kNumSlots),
        rollout_(kNumSteps, kNumSlots),
        collector_({env_, setting.repeats_levels ? nullptr : &curriculum_,
                    setting.repeats_levels ? nullptr : &scorer_, normalizer_, inference_, log_},
                   Streams(3).named("actions")),
        repeats_levels_(setting.repeats_levels) {
    inference_.num_groups = setting.num_groups;
    if (!repeats_levels_) collector_.begin();
  }

  void fill(Outcome& outcome) {
    if (repeats_levels_) {
      collector_.fill(rollout_, std::vector<LevelId>{3, 1, 4, 1, 5, 9, 2, 6});
    } else {
      collector_.fill(rollout_);
    }
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(outcome.actions, rollout_.actions.all());
    append(outcome.numbers, rollout_.values.all());
    append(outcome.numbers, rollout_.rewards.all());
    append(outcome.levels, rollout_.levels.all());
    append(outcome.states, curriculum_.save());
    append(outcome.states, scorer_.save());
    append(outcome.states, normalizer_.save());
  }
  SlotStates slot_states() const { return collector_.slot_states(); }
  std::vector<std::byte> save(const SlotStates& slots) const { return collector_.save(slots); }

 private:
  StepLog log_;
  CountdownEnv env_;
  LevelReplay curriculum_;
  FakeInference inference_;
  EpisodeScorer scorer_;
  RewardNormalizer normalizer_;
  StepTables rollout_;
  Collector collector_;
  bool repeats_levels_;
};

// Outcomes by rank, each with the collector's state at the end.
std::vector<Outcome> outcomes_of(int num_ranks, const Setting& setting) {
  StepLogShape shape = {.num_steps = kNumSteps, .num_slots = kNumSlots, .num_ranks = num_ranks};
  const SharedMemory memory = SharedMemory::create(StepLog::num_bytes(shape));
  std::vector<Outcome> outcomes(static_cast<std::size_t>(num_ranks));
  std::vector<std::unique_ptr<Rank>> ranks(outcomes.size());
  std::barrier together(num_ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < num_ranks; ++rank) {
    shape.rank = rank;
    threads.emplace_back([&, shape, i = static_cast<std::size_t>(rank)] {
      ranks[i] = std::make_unique<Rank>(shape, memory.bytes(), setting);
      for (int rollout = 0; rollout < kNumRollouts; ++rollout) {
        together.arrive_and_wait();  // as between updates
        ranks[i]->fill(outcomes[i]);
      }
      together.arrive_and_wait();
      SlotStates slots;
      for (const auto& each : ranks) slots.append(each->slot_states());
      const std::vector<std::byte> state = ranks[i]->save(slots);
      outcomes[i].states.insert(outcomes[i].states.end(), state.begin(), state.end());
      together.arrive_and_wait();
      ranks[i].reset();
    });
  }
  threads.clear();
  return outcomes;
}

void expect_same_for_any_ranks(const Setting& setting) {
  const Outcome expected = outcomes_of(1, setting).front();
  for (const int num_ranks : {2, 4}) {
    Setting part = setting;
    part.num_groups =
        std::max<std::size_t>(setting.num_groups / static_cast<std::size_t>(num_ranks), 1);
    for (const Outcome& outcome : outcomes_of(num_ranks, part)) {
      EXPECT_EQ(outcome, expected) << num_ranks << " ranks, " << setting.num_workers << " workers";
    }
  }
}

TEST(Ranks, RolloutsEqualThoseOfOneRank) {
  expect_same_for_any_ranks({});
  expect_same_for_any_ranks({.num_workers = 2});
}

TEST(Ranks, RolloutsInGroupsEqualThoseOfOneRank) {
  expect_same_for_any_ranks({.takes_any_batch = false, .num_groups = 4});
}

TEST(Ranks, RolloutsOnGivenLevelsEqualThoseOfOneRank) {
  expect_same_for_any_ranks({.repeats_levels = true});
}

TEST(Ranks, ASlowRankChangesNothing) {
  const Delay delay = [](int slot) {
    // Ranks of two slots and more have a slot 1; that of slot 0 alone is fast.
    if (slot == 1) std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  expect_same_for_any_ranks({.delay = delay});
}

}  // namespace
}  // namespace plr::collect

#include "plr/core/rollout_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace plr {
namespace {

constexpr std::size_t kSlots = 8;
constexpr LevelId kEdited = LevelId{1} << 40;  // added to a parent's id by the edits of these tests

const LevelSet kNewLevels = LevelSet::stream(0, 1ULL << 32);

RolloutReplayConfig small_buffer() {
  RolloutReplayConfig config;
  config.buffer.capacity = 32;
  return config;
}

RolloutReplayConfig accel() {
  RolloutReplayConfig config = small_buffer();
  config.num_edits = 5;
  return config;
}

LevelTools tools() {
  return {.edit = [](LevelId parent, int num_edits,
                     Random&) { return parent + kEdited * static_cast<LevelId>(num_edits); },
          .optimal_return = [](LevelId level) { return static_cast<double>(level % 10) / 10; }};
}

Random stream(std::uint64_t seed = 1) { return Streams(seed).named("levels"); }

RolloutReplay make(const RolloutReplayConfig& config, std::uint64_t seed = 1) {
  return {kNewLevels, config, tools(), stream(seed)};
}

// A result whose MaxMC score is `score`.
RolloutResult result(double score, double best_return = 0.5) {
  return {.episodes = 2,
          .successes = 1,
          .best_return = best_return,
          .mean_return = best_return / 2,
          .mean_value = best_return - score};
}

// Results with random scores.
std::vector<RolloutResult> results(Random& random, std::size_t count = kSlots) {
  std::vector<RolloutResult> all(count);
  for (RolloutResult& one : all) one = result(random.uniform(), random.uniform());
  return all;
}

// Plays rollouts until one of this kind is planned.
const RolloutPlan& play_until(RolloutKind kind, RolloutReplay& replay, Random& random) {
  for (;;) {
    const RolloutPlan& plan = replay.plan(kSlots);
    if (plan.kind == kind) return plan;
    replay.record(results(random));
  }
}

TEST(RolloutReplay, PlaysNewLevelsUntilTheBufferIsFilledEnough) {
  RolloutReplay replay = make(small_buffer());
  Random random = stream(7);
  for (int rollout = 0; rollout < 2; ++rollout) {  // 16 of 32 slots
    EXPECT_FALSE(replay.buffer().can_replay());
    const RolloutPlan& plan = replay.plan(kSlots);
    EXPECT_EQ(plan.kind, RolloutKind::kNew);
    EXPECT_EQ(plan.levels.size(), kSlots);
    EXPECT_EQ(plan.best_returns, std::vector<double>(kSlots, 0.0));
    replay.record(results(random));
  }
  EXPECT_TRUE(replay.buffer().can_replay());
  EXPECT_EQ(replay.buffer().size(), 2 * kSlots);
}

TEST(RolloutReplay, ReplaysWithTheGivenProbability) {
  RolloutReplay replay = make(small_buffer());
  Random random = stream(7);
  play_until(RolloutKind::kReplay, replay, random);
  replay.record(results(random));
  constexpr int kRollouts = 4000;
  int num_replays = 0;
  for (int rollout = 0; rollout < kRollouts; ++rollout) {
    num_replays += replay.plan(kSlots).kind == RolloutKind::kReplay ? 1 : 0;
    replay.record(results(random));
  }
  const double deviation = std::sqrt(kRollouts * 0.8 * 0.2);
  EXPECT_NEAR(num_replays, 0.8 * kRollouts, 4 * deviation);
}

TEST(RolloutReplay, RobustPlrLearnsFromReplayedLevelsOnly) {
  RolloutReplay replay = make(small_buffer());
  Random random = stream(7);
  for (int rollout = 0; rollout < 100; ++rollout) {
    const RolloutPlan& plan = replay.plan(kSlots);
    EXPECT_EQ(plan.learn, plan.kind == RolloutKind::kReplay);
    replay.record(results(random));
  }
}

TEST(RolloutReplay, PlrLearnsFromAllLevels) {
  RolloutReplayConfig config = accel();
  config.learn_on_new = true;
  RolloutReplay replay = make(config);
  Random random = stream(7);
  for (int rollout = 0; rollout < 100; ++rollout) {
    EXPECT_TRUE(replay.plan(kSlots).learn);
    replay.record(results(random));
  }
}

TEST(RolloutReplay, ReplayedLevelsCarryTheirBestReturns) {
  RolloutReplay replay = make(small_buffer());
  Random random = stream(7);
  const RolloutPlan& plan = play_until(RolloutKind::kReplay, replay, random);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    EXPECT_EQ(plan.best_returns[slot], replay.buffer().best_return(plan.levels[slot]));
  }
}

TEST(RolloutReplay, LastSlotCountsIfALevelIsInSeveral) {
  RolloutReplayConfig config = small_buffer();
  config.buffer.capacity = 4;  // fewer levels than slots
  RolloutReplay replay = make(config);
  Random random = stream(7);
  const RolloutPlan plan = play_until(RolloutKind::kReplay, replay, random);
  std::vector<RolloutResult> recorded;
  std::map<LevelId, double> last;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    recorded.push_back(result(static_cast<double>(slot) + 1));
    last[plan.levels[slot]] = static_cast<double>(slot) + 1;
  }
  replay.record(recorded);
  ASSERT_LT(last.size(), kSlots);
  for (const LevelWeight& weight : replay.weights()) {
    if (last.contains(weight.level)) {
      EXPECT_NEAR(weight.score, last[weight.level], 1e-12);
    }
  }
}

// The same draws, inserts and updates, made by hand.
TEST(RolloutReplay, BufferIsThatOfTheSameOperationsByHand) {
  RolloutReplay replay = make(accel());
  LevelBuffer buffer(accel().buffer);
  Random random = stream(7);
  std::set<RolloutKind> kinds;
  for (int rollout = 0; rollout < 2000; ++rollout) {
    const RolloutPlan plan = replay.plan(kSlots);
    const std::vector<RolloutResult> played = results(random);
    replay.record(played);
    kinds.insert(plan.kind);
    std::vector<LevelBuffer::Slot> slots;
    if (plan.kind == RolloutKind::kReplay) {
      for (const LevelId level : plan.levels) {
        LevelBuffer::Slot slot = 0;
        while (buffer.at(slot).level != level) ++slot;
        buffer.choose(slot);
        slots.push_back(slot);
      }
    }
    for (std::size_t i = 0; i < kSlots; ++i) {
      const double score = played[i].score(RolloutScore::kMaxMc);
      if (plan.kind == RolloutKind::kReplay) {
        buffer.update(slots[i], score, played[i].best_return);
      } else {
        buffer.insert(plan.levels[i], score, played[i].best_return);
      }
    }
    ASSERT_EQ(buffer.save(), replay.buffer().save()) << "rollout " << rollout;
  }
  EXPECT_EQ(kinds.size(), 3);
}

TEST(RolloutReplay, AccelPlaysEditedLevelsAfterEachReplay) {
  RolloutReplay replay = make(accel());
  Random random = stream(7);
  std::vector<LevelId> replayed;
  int num_edited = 0;
  for (int rollout = 0; rollout < 200; ++rollout) {
    const RolloutPlan& plan = replay.plan(kSlots);
    ASSERT_EQ(plan.kind == RolloutKind::kEdited, !replayed.empty());
    if (plan.kind == RolloutKind::kEdited) {
      ++num_edited;
      EXPECT_FALSE(plan.learn);
      EXPECT_EQ(plan.best_returns, std::vector<double>(kSlots, 0.0));
      for (std::size_t slot = 0; slot < kSlots; ++slot) {
        EXPECT_EQ(plan.levels[slot], replayed[slot] + 5 * kEdited);
      }
    }
    replayed = plan.kind == RolloutKind::kReplay ? plan.levels : std::vector<LevelId>();
    replay.record(results(random));
  }
  EXPECT_GT(num_edited, 50);
}

TEST(RolloutReplay, ParentsAreThoseOfLowestReturnMinusScore) {
  RolloutReplayConfig config = accel();
  config.num_parents = 2;
  RolloutReplay replay = make(config);
  Random random = stream(7);
  const RolloutPlan plan = play_until(RolloutKind::kReplay, replay, random);
  std::vector<RolloutResult> recorded(kSlots, result(0, 1));  // 0.5 - 0
  recorded[5] = {.episodes = 1, .best_return = 1, .mean_return = 0.2, .mean_value = 0.5};  // -0.3
  recorded[3] = {.episodes = 1, .best_return = 1, .mean_return = 0.6, .mean_value = 0.4};  // 0
  replay.record(recorded);
  const RolloutPlan& edited = replay.plan(kSlots);
  ASSERT_EQ(edited.kind, RolloutKind::kEdited);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    EXPECT_EQ(edited.levels[slot], plan.levels[slot < 4 ? 3 : 5] + 5 * kEdited);
  }
}

TEST(RolloutReplay, EditWithoutEffectMeasuresTheParentAgain) {
  LevelTools no_edits = tools();
  no_edits.edit = [](LevelId parent, int, Random&) { return parent; };
  RolloutReplay replay(kNewLevels, accel(), no_edits, stream());
  Random random = stream(7);
  const RolloutPlan& plan = play_until(RolloutKind::kEdited, replay, random);
  const LevelId level = plan.levels.back();
  const std::size_t size = replay.buffer().size();
  replay.record(std::vector<RolloutResult>(kSlots, result(0.125, 0.75)));
  EXPECT_EQ(replay.buffer().size(), size);
  EXPECT_EQ(replay.buffer().best_return(level), 0.75);
}

TEST(RolloutReplay, RegretIsOptimalMinusMeanReturn) {
  RolloutReplayConfig config = small_buffer();
  config.score = RolloutScore::kRegret;
  RolloutReplay replay = make(config);
  const RolloutPlan plan = replay.plan(kSlots);
  replay.record(std::vector<RolloutResult>(kSlots, result(0, 0.5)));
  for (const LevelWeight& weight : replay.weights()) {
    EXPECT_NEAR(weight.score, static_cast<double>(weight.level % 10) / 10 - 0.25, 1e-12);
  }
}

TEST(RolloutReplay, UnmeasuredLevelsAreNotInserted) {
  RolloutReplay replay = make(small_buffer());
  replay.plan(kSlots);
  replay.record(std::vector<RolloutResult>(kSlots));
  EXPECT_EQ(replay.buffer().size(), 0);
}

TEST(RolloutReplay, LevelsInUseAreThoseOfTheBufferAndTheParents) {
  RolloutReplay replay = make(accel());
  Random random = stream(7);
  const RolloutPlan plan = play_until(RolloutKind::kReplay, replay, random);
  replay.record(results(random));
  const std::vector<LevelId> used = replay.levels_in_use();
  const std::set<LevelId> set(used.begin(), used.end());
  for (const LevelId level : plan.levels) EXPECT_TRUE(set.contains(level));
  for (const LevelWeight& weight : replay.weights()) EXPECT_TRUE(set.contains(weight.level));
}

TEST(RolloutReplay, LoadedStateContinuesIdentically) {
  for (const RolloutKind last : {RolloutKind::kNew, RolloutKind::kReplay, RolloutKind::kEdited}) {
    RolloutReplay replay = make(accel());
    Random random = stream(7);
    play_until(last, replay, random);
    replay.record(results(random));
    RolloutReplay copy = make(accel(), 2);
    copy.load(replay.save());
    for (int rollout = 0; rollout < 50; ++rollout) {
      const RolloutPlan plan = replay.plan(kSlots);
      ASSERT_EQ(copy.plan(kSlots).levels, plan.levels);
      const std::vector<RolloutResult> played = results(random);
      replay.record(played);
      copy.record(played);
    }
    EXPECT_EQ(copy.save(), replay.save());
  }
}

TEST(RolloutReplay, RefusesDamagedStatesAndOtherSettings) {
  RolloutReplay replay = make(accel());
  Random random = stream(7);
  play_until(RolloutKind::kReplay, replay, random);
  replay.record(results(random));
  const std::vector<std::byte> bytes = replay.save();
  RolloutReplay other = make(small_buffer());
  EXPECT_THROW(other.load(bytes), std::runtime_error);
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{1};
    EXPECT_THROW(replay.load(damaged), std::runtime_error);
  }
  EXPECT_EQ(replay.save(), bytes);
}

TEST(RolloutReplay, NamesTheSettingThatTheEnvironmentCannotHave) {
  const auto message = [](const RolloutReplayConfig& config) -> std::string {
    try {
      const RolloutReplay replay(kNewLevels, config, {}, stream());
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(message(accel()).starts_with("num_edits"));
  RolloutReplayConfig regret;
  regret.score = RolloutScore::kRegret;
  EXPECT_TRUE(message(regret).starts_with("rollout_score"));
  RolloutReplay replay = make(small_buffer());
  replay.plan(kSlots);
  EXPECT_THROW(replay.record(std::vector<RolloutResult>(3)), std::invalid_argument);
}

}  // namespace
}  // namespace plr

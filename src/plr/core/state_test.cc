// Saved states: objects continue identically after load, and damaged bytes are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_buffer.h"
#include "plr/core/level_replay.h"
#include "plr/core/reward_normalizer.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "tests/support/saved_state.h"

namespace plr {
namespace {

using testing::expect_damage_is_refused;
using testing::expect_forgery_is_harmless;
using testing::expect_refused;
using testing::saved_object;
using testing::SavedObject;

Random stream(std::uint64_t seed) { return Streams(seed).named("levels"); }

// Draws and records episodes; returns the drawn levels.
std::vector<LevelId> play(Curriculum& curriculum, int episodes) {
  std::vector<LevelId> levels;
  for (int i = 0; i < episodes; ++i) {
    levels.push_back(curriculum.next());
    const double score = static_cast<double>((levels.back() * 7919 + i) % 13) - 3;
    curriculum.record({.level = levels.back(), .score = score, .episode_return = score});
  }
  return levels;
}

std::vector<LevelReplay> all_kinds_of_replay(std::uint64_t seed) {
  std::vector<LevelReplay> kinds;
  for (int transform = 0; transform < 6; ++transform) {
    LevelReplayConfig config{.transform = static_cast<Transform>(transform), .buffer_size = 16};
    kinds.emplace_back(LevelSet::range(0, 30), config, stream(seed));
    kinds.emplace_back(LevelSet::list({9, 4, 1ULL << 60}), config, stream(seed));
    kinds.emplace_back(LevelSet::stream(0, 1000), config, stream(seed));
    config.seen_on = SeenOn::kScore;
    kinds.emplace_back(LevelSet::range(0, 30), config, stream(seed));
  }
  return kinds;
}

TEST(LevelReplay, ContinuesIdenticallyAfterLoad) {
  std::vector<LevelReplay> originals = all_kinds_of_replay(1);
  std::vector<LevelReplay> others = all_kinds_of_replay(2);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    play(originals[i], 100);
    originals[i].next();  // an open episode
    play(others[i], 7);
    others[i].load(originals[i].save());
    EXPECT_EQ(originals[i].save(), others[i].save());
    EXPECT_EQ(play(originals[i], 200), play(others[i], 200));
    EXPECT_EQ(originals[i].save(), others[i].save());
  }
}

TEST(LevelReplay, KeepsTheScaleOfItsWeightsAfterLoad) {
  // 1e60^10 forces another scale; afterwards only moderate scores are left.
  const LevelReplayConfig config{.transform = Transform::kProportional};
  LevelReplay original(LevelSet::range(0, 3), config, stream(1));
  for (LevelId level = 0; level < 3; ++level) original.choose(level);
  original.record({.level = 0, .score = 1e60});
  for (LevelId level = 0; level < 3; ++level) original.record({.level = level, .score = 2.5});
  LevelReplay other(LevelSet::range(0, 3), config, stream(2));
  other.load(original.save());
  EXPECT_EQ(play(original, 100), play(other, 100));
  EXPECT_EQ(original.save(), other.save());
}

TEST(Uniform, ContinuesIdenticallyAfterLoad) {
  Uniform original(LevelSet::range(0, 1000), stream(1));
  Uniform other(LevelSet::range(0, 1000), stream(2));
  play(original, 5);
  other.load(original.save());
  EXPECT_EQ(play(original, 20), play(other, 20));
}

std::vector<Tscl> all_kinds_of_tscl(std::uint64_t seed) {
  std::vector<Tscl> kinds;
  for (const TsclPolicy policy : {TsclPolicy::kEpsilonGreedy, TsclPolicy::kBoltzmann}) {
    // Windows of 3 returns, most of them full; a low temperature forces other scales.
    const TsclConfig config{.window = 3,
                            .smoothing = 0.7,
                            .policy = policy,
                            .temperature = 1e-3,
                            .staleness_coef = 0.3};
    kinds.emplace_back(LevelSet::range(0, 30), config, stream(seed));
    kinds.emplace_back(LevelSet::list({9, 4, 1ULL << 60}), config, stream(seed));
  }
  return kinds;
}

TEST(Tscl, ContinuesIdenticallyAfterLoad) {
  std::vector<Tscl> originals = all_kinds_of_tscl(1);
  std::vector<Tscl> others = all_kinds_of_tscl(2);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    play(originals[i], 100);
    originals[i].next();
    play(others[i], 7);
    others[i].load(originals[i].save());
    EXPECT_EQ(originals[i].save(), others[i].save());
    EXPECT_EQ(play(originals[i], 200), play(others[i], 200));
    EXPECT_EQ(originals[i].save(), others[i].save());
  }
}

std::vector<LevelBuffer> all_kinds_of_buffer() {
  std::vector<LevelBuffer> kinds;
  for (const Prioritization prioritization : {Prioritization::kRank, Prioritization::kTopk}) {
    for (const bool is_default : {true, false}) {
      kinds.emplace_back(LevelBufferConfig{.capacity = 16,
                                           .prioritization = prioritization,
                                           .topk = 4,
                                           .duplicate_check = is_default,
                                           .keep_unmeasured = is_default});
    }
  }
  return kinds;
}

// Draws, updates and inserts; returns the drawn levels.
std::vector<LevelId> play(LevelBuffer& buffer, int rollouts, Random& random) {
  const auto score = [&] { return random.below(8) == 0 ? kUnmeasuredScore : random.uniform(); };
  std::vector<LevelId> levels;
  for (int i = 0; i < rollouts; ++i) {
    buffer.insert(random.below(40), score(), random.uniform());
    if (!buffer.can_replay()) continue;
    const auto [slot, level] = buffer.draw(random);
    buffer.update(slot, score(), random.uniform());
    levels.push_back(level);
  }
  return levels;
}

TEST(LevelBuffer, ContinuesIdenticallyAfterLoad) {
  std::vector<LevelBuffer> originals = all_kinds_of_buffer();
  std::vector<LevelBuffer> others = all_kinds_of_buffer();
  for (std::size_t i = 0; i < originals.size(); ++i) {
    Random random = stream(1);
    play(originals[i], 100, random);
    play(others[i], 7, random);
    others[i].load(originals[i].save());
    EXPECT_EQ(originals[i].save(), others[i].save());
    Random same = random;
    EXPECT_EQ(play(originals[i], 200, random), play(others[i], 200, same));
    EXPECT_EQ(originals[i].save(), others[i].save());
  }
}

TEST(LevelBuffer, ReportsTheSettingInWhichASavedStateDiffers) {
  LevelBuffer other({.temperature = 0.5});
  try {
    other.load(LevelBuffer({}).save());
    FAIL() << "a state of other settings was loaded";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(),
                 "level buffer state: made with other settings: here buffer_temperature = 0.5, "
                 "not 0.3");
  }
}

TEST(EpisodeScorer, ContinuesIdenticallyAfterLoad) {
  const auto continue_play = [](EpisodeScorer& scorer) {
    scorer.step(0, 1, .5, 0);
    scorer.end(0, 1);
    scorer.end_rollout(std::vector<float>{0, .25F});
    std::vector<double> scores;
    scorer.drain([&](const EpisodeResult& result) { scores.push_back(result.score); });
    return scores;
  };
  const EpisodeScorerConfig config{.score_update = ScoreUpdate::kRollout,
                                   .open_episodes = OpenEpisodes::kStitch};
  EpisodeScorer original(config, 2, 4);
  original.begin(0, 1);
  original.begin(1, 2);
  original.step(0, 0, .5, 0);
  original.end_rollout(std::vector<float>{.5F, .5F});
  original.step(0, 0, .25, 0);
  original.step(1, 3, .25, 0);
  original.end(1, 3);
  original.begin(1, 5);
  EpisodeScorer other(config, 2, 4);
  other.load(original.save());
  EXPECT_EQ(continue_play(original), continue_play(other));
  EXPECT_EQ(original.save(), other.save());
}

TEST(LevelReplay, ReportsTheSettingInWhichASavedStateDiffers) {
  const LevelReplay original(LevelSet::range(0, 5), {.temperature = 0.5}, stream(1));
  LevelReplay other(LevelSet::range(0, 5), {}, stream(1));
  try {
    other.load(original.save());
    FAIL() << "a state of other settings was loaded";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(),
                 "level replay state: made with other settings: here temperature = 0.1, not 0.5");
  }
  LevelReplay fewer(LevelSet::range(0, 4), {.temperature = 0.5}, stream(1));
  EXPECT_THROW(fewer.load(original.save()), std::runtime_error);
}

// The state with one 8-byte number replaced, and the right checksum.
std::vector<std::byte> with_number(std::vector<std::byte> state, std::int64_t from,
                                   std::int64_t to) {
  const auto bytes_of = [](const std::int64_t& n) { return std::as_bytes(std::span(&n, 1)); };
  const auto found = std::ranges::search(state, bytes_of(from));
  std::ranges::copy(bytes_of(to), found.begin());
  testing::set_checksum(state);
  return state;
}

TEST(SavedState, WithMoreDrawsThanSumsCanHoldIsRefused) {
  constexpr std::int64_t kDraws = 1007;  // no other number of the states
  LevelReplay replay(LevelSet::range(0, 30), {}, stream(1));
  Tscl tscl(LevelSet::range(0, 30), {}, stream(1));
  play(replay, kDraws);
  play(tscl, kDraws);
  EXPECT_NO_THROW(replay.load(with_number(replay.save(), kDraws, kMaxDraw)));
  EXPECT_THROW(replay.load(with_number(replay.save(), kMaxDraw, kMaxDraw + 1)), std::runtime_error);
  EXPECT_NO_THROW(tscl.load(with_number(tscl.save(), kDraws, kMaxDraw)));
  EXPECT_THROW(tscl.load(with_number(tscl.save(), kMaxDraw, kMaxDraw + 1)), std::runtime_error);
}

std::vector<SavedObject> all_objects_with_state() {
  std::vector<SavedObject> all;
  for (LevelReplay& replay : all_kinds_of_replay(3)) {
    play(replay, 60);
    replay.next();
    all.push_back(saved_object("level replay", replay));
  }
  for (Tscl& tscl : all_kinds_of_tscl(3)) {
    play(tscl, 60);
    all.push_back(saved_object("tscl", tscl));
  }
  for (LevelBuffer& buffer : all_kinds_of_buffer()) {
    Random random = stream(3);
    play(buffer, 60, random);
    all.push_back(saved_object("level buffer", buffer));
  }
  all.push_back(saved_object("uniform", Uniform(LevelSet::range(0, 9), stream(3))));
  all.push_back(saved_object("reward normalizer", RewardNormalizer({}, 3)));
  EpisodeScorer scorer({.score_update = ScoreUpdate::kRollout}, 2, 3);
  scorer.begin(0, 1);
  scorer.step(0, 1, 1, 1);
  scorer.end(0, 1);
  all.push_back(saved_object("episode scorer", scorer));
  return all;
}

TEST(SavedState, IsRefusedWhenDamaged) {
  for (const SavedObject& object : all_objects_with_state()) expect_damage_is_refused(object);
}

TEST(SavedState, OfAnotherClassIsRefused) {
  const auto all = all_objects_with_state();
  for (const SavedObject& object : all) {
    for (const SavedObject& other : all) {
      if (other.name != object.name) expect_refused(object, other.saved, "bytes of " + other.name);
    }
  }
}

TEST(SavedState, WithForgedChecksumIsRefusedOrLoadedWhole) {
  for (const SavedObject& object : all_objects_with_state()) expect_forgery_is_harmless(object);
}

}  // namespace
}  // namespace plr

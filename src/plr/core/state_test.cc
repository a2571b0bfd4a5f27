// Saving and loading whatever has a state: it goes on identically, and damage is always noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "plr/core/bytes.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay.h"
#include "plr/core/reward_normalizer.h"
#include "plr/core/tscl.h"
#include "plr/core/ucb_bandit.h"
#include "plr/core/uniform.h"

namespace plr {
namespace {

Random stream(std::uint64_t seed) { return Streams(seed).named("levels"); }

// Draws and records some episodes; returns what was drawn.
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

TEST(LevelReplay, GoesOnIdenticallyAfterLoad) {
  std::vector<LevelReplay> originals = all_kinds_of_replay(1);
  std::vector<LevelReplay> others = all_kinds_of_replay(2);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    play(originals[i], 100);
    originals[i].next();  // an episode that is open
    play(others[i], 7);
    others[i].load(originals[i].save());
    EXPECT_EQ(originals[i].save(), others[i].save());
    EXPECT_EQ(play(originals[i], 200), play(others[i], 200));
    EXPECT_EQ(originals[i].save(), others[i].save());
  }
}

TEST(LevelReplay, KeepsTheScaleOfItsWeightsThroughLoad) {
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

TEST(Uniform, GoesOnIdenticallyAfterLoad) {
  Uniform original(LevelSet::range(0, 1000), stream(1));
  Uniform other(LevelSet::range(0, 1000), stream(2));
  play(original, 5);
  other.load(original.save());
  EXPECT_EQ(play(original, 20), play(other, 20));
}

std::vector<Tscl> all_kinds_of_tscl(std::uint64_t seed) {
  std::vector<Tscl> kinds;
  for (const TsclPolicy policy : {TsclPolicy::kEpsilonGreedy, TsclPolicy::kBoltzmann}) {
    // 3 returns a window, so that most are full; a low temperature forces other scales.
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

TEST(Tscl, GoesOnIdenticallyAfterLoad) {
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

// Chooses and credits; returns what was chosen.
std::vector<std::size_t> try_arms(UcbBandit& bandit, int times) {
  std::vector<std::size_t> arms;
  for (int i = 0; i < times; ++i) {
    bandit.credit(std::sin(i));
    arms.push_back(bandit.choose());
  }
  return arms;
}

TEST(UcbBandit, GoesOnIdenticallyAfterLoad) {
  UcbBandit original(4, {.exploration = 1, .window = 3});
  UcbBandit other(4, {.exploration = 1, .window = 3});
  try_arms(original, 50);
  other.load(original.save());
  EXPECT_EQ(try_arms(original, 50), try_arms(other, 50));
  EXPECT_EQ(original.save(), other.save());
}

TEST(EpisodeScorer, GoesOnIdenticallyAfterLoad) {
  const auto go_on = [](EpisodeScorer& scorer) {
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
  EXPECT_EQ(go_on(original), go_on(other));
  EXPECT_EQ(original.save(), other.save());
}

TEST(LevelReplay, SaysWhichSettingOfASavedStateDiffers) {
  const LevelReplay original(LevelSet::range(0, 5), {.temperature = 0.5}, stream(1));
  LevelReplay other(LevelSet::range(0, 5), {}, stream(1));
  try {
    other.load(original.save());
    FAIL() << "the state of other settings was taken";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(),
                 "level replay state: made with other settings: here temperature = 0.1, not 0.5");
  }
  LevelReplay fewer(LevelSet::range(0, 4), {.temperature = 0.5}, stream(1));
  EXPECT_THROW(fewer.load(original.save()), std::runtime_error);
}

// ---- damaged bytes
// -------------------------------------------------------------------------------

using Bytes = std::vector<std::byte>;

// Some object: its saved bytes, an attempt to load others, and what it would save now.
struct Loadable {
  std::string name;
  Bytes saved;
  std::function<void(const Bytes&)> load;
  std::function<Bytes()> save;
};

template <class T>
Loadable loadable(const std::string& name, const T& object) {
  auto target = std::make_shared<T>(object);
  return {name, object.save(), [target](const Bytes& bytes) { target->load(bytes); },
          [target] { return target->save(); }};
}

std::vector<Loadable> everything_with_a_state() {
  std::vector<Loadable> all;
  for (LevelReplay& replay : all_kinds_of_replay(3)) {
    play(replay, 60);
    replay.next();
    all.push_back(loadable("level replay", replay));
  }
  for (Tscl& tscl : all_kinds_of_tscl(3)) {
    play(tscl, 60);
    all.push_back(loadable("tscl", tscl));
  }
  UcbBandit bandit(4, {.window = 3});
  try_arms(bandit, 20);
  all.push_back(loadable("bandit", bandit));
  all.push_back(loadable("uniform", Uniform(LevelSet::range(0, 9), stream(3))));
  all.push_back(loadable("reward normalizer", RewardNormalizer({}, 3)));
  EpisodeScorer scorer({.score_update = ScoreUpdate::kRollout}, 2, 3);
  scorer.begin(0, 1);
  scorer.step(0, 1, 1, 1);
  scorer.end(0, 1);
  all.push_back(loadable("episode scorer", scorer));
  return all;
}

// The bytes are refused, and the object is as it was.
void expect_refused(const Loadable& object, const Bytes& damaged, const std::string& what) {
  EXPECT_THROW(object.load(damaged), std::runtime_error) << object.name << ": " << what;
  EXPECT_EQ(object.save(), object.saved) << object.name << " has changed: " << what;
}

TEST(SavedState, IsRefusedWhenTruncated) {
  for (const Loadable& object : everything_with_a_state()) {
    for (std::size_t size = 0; size < object.saved.size(); size += 1 + size / 50) {
      expect_refused(object, Bytes(object.saved.begin(), object.saved.begin() + size),
                     "cut to " + std::to_string(size));
    }
  }
}

TEST(SavedState, IsRefusedWhenAnyBitIsFlipped) {
  Random random = stream(4);
  for (const Loadable& object : everything_with_a_state()) {
    for (int i = 0; i < 400; ++i) {
      Bytes damaged = object.saved;
      const std::uint64_t bit = random.below(8 * damaged.size());
      damaged[bit / 8] ^= std::byte{1} << (bit % 8);
      expect_refused(object, damaged, "bit " + std::to_string(bit) + " flipped");
    }
  }
}

TEST(SavedState, IsRefusedWhenLonger) {
  for (const Loadable& object : everything_with_a_state()) {
    Bytes longer = object.saved;
    longer.push_back(std::byte{0});
    expect_refused(object, longer, "one byte more");
  }
}

TEST(SavedState, OfAnotherVersionSaysSo) {
  for (const Loadable& object : everything_with_a_state()) {
    Bytes other = object.saved;
    other[4] = std::byte{99};  // behind four bytes of magic
    try {
      object.load(other);
      ADD_FAILURE() << object.name << " took version 99";
    } catch (const std::runtime_error& e) {
      EXPECT_NE(std::string(e.what()).find("version 99"), std::string::npos) << e.what();
    }
  }
}

TEST(SavedState, OfAnotherKindIsRefused) {
  const auto all = everything_with_a_state();
  for (const Loadable& object : all) {
    for (const Loadable& other : all) {
      if (other.name != object.name) expect_refused(object, other.saved, "bytes of " + other.name);
    }
  }
}

TEST(SavedState, WithAWrongContentAndARightChecksumIsRefusedOrTakenWhole) {
  // Whoever writes the checksum anew can change what it guards.  Such bytes may be a possible
  // state, but they must never crash or leave the object half changed.
  Random random = stream(5);
  for (const Loadable& object : everything_with_a_state()) {
    for (int i = 0; i < 400; ++i) {
      Bytes forged = object.saved;
      for (int change = 0; change < 3; ++change) {
        forged[random.below(forged.size() - 8)] = static_cast<std::byte>(random.below(256));
      }
      const std::uint64_t sum = checksum(std::span(forged).first(forged.size() - 8));
      std::memcpy(forged.data() + forged.size() - 8, &sum, 8);
      try {
        object.load(forged);
        object.load(object.saved);
      } catch (const std::runtime_error&) {
        EXPECT_EQ(object.save(), object.saved) << object.name;
      }
    }
  }
}

}  // namespace
}  // namespace plr

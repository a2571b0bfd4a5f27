// The settings of Prioritized Level Replay.
//
// Defaults follow the paper (algorithms 1 to 3 and table 1). A field whose value differs in the
// code that its authors released says so; released_code<LevelReplayConfig>() has all of them.
// docs/algorithm.md explains each choice by the numbers D1, D2, ... used here.
//
//   LevelReplayConfig config{.temperature = 0.5};
//   check_fields(config);   // std::invalid_argument with field, bound and value
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"
#include "plr/core/curriculum.h"

namespace plr {

// How a score becomes a weight.
enum class Transform : std::uint8_t {
  kRank,
  kProportional,
  kGreedy,
  kSoftmax,
  kEpsilonGreedy,
  kConstant,
};

// The probability of a replay instead of an unseen level, as long as unseen levels are left.
enum class ReplaySchedule : std::uint8_t { kProportionate, kFixed };

// Whether a level is seen once it is drawn or once it is scored.
enum class SeenOn : std::uint8_t { kSample, kScore };

// Which level of a full buffer is evicted: least replay probability or least score.
enum class Eviction : std::uint8_t { kProbability, kScore };

constexpr std::array<std::string_view, 6> enum_names(Transform) {
  return {"rank", "proportional", "greedy", "softmax", "epsilon-greedy", "constant"};
}
constexpr std::array<std::string_view, 6> enum_texts(Transform) {
  return {"rank^(-1/temperature); the highest score has rank 1",
          "score^(1/temperature)",
          "all weight on the highest score",
          "exp(score / temperature)",
          "1 - epsilon on the highest score, epsilon spread over all seen levels",
          "the same weight for every level"};
}
constexpr std::array<std::string_view, 2> enum_names(ReplaySchedule) {
  return {"proportionate", "fixed"};
}
constexpr std::array<std::string_view, 2> enum_texts(ReplaySchedule) {
  return {"the fraction of the levels that are seen", "replay_probability"};
}
constexpr std::array<std::string_view, 2> enum_names(SeenOn) { return {"sample", "score"}; }
constexpr std::array<std::string_view, 2> enum_texts(SeenOn) {
  return {"when it is drawn", "when it is first scored"};
}
constexpr std::array<std::string_view, 2> enum_names(Eviction) { return {"probability", "score"}; }
constexpr std::array<std::string_view, 2> enum_texts(Eviction) {
  return {"the level of least replay probability", "the level of least score"};
}

struct LevelReplayConfig {
  Transform transform = Transform::kRank;
  static constexpr Field kTransform{&LevelReplayConfig::transform, "transform",
                                    "how scores become probabilities"};

  double temperature = 0.1;
  static constexpr Field kTemperature{&LevelReplayConfig::temperature, "temperature", above(0),
                                      "beta: lower values prefer the highest scores more"};

  double staleness_coef = 0.1;
  static constexpr Field kStalenessCoef{&LevelReplayConfig::staleness_coef, "staleness_coef",
                                        from_to(0, 1),
                                        "rho: fraction of replays drawn by staleness"};

  double epsilon = 0.05;
  static constexpr Field kEpsilon{
      &LevelReplayConfig::epsilon, "epsilon", from_to(0, 1),
      "for epsilon-greedy: probability that is spread over all seen levels (D30)"};

  double smoothing = 1.0;
  static constexpr Field kSmoothing{
      &LevelReplayConfig::smoothing, "smoothing", above_to(0, 1),
      "alpha: weight of a new score against the old one; 1 replaces it (D9)"};

  ReplaySchedule schedule = ReplaySchedule::kProportionate;
  static constexpr Field kSchedule{
      &LevelReplayConfig::schedule, "schedule",
      "for finite sets of levels: probability of a replay instead of an unseen level (D2)"};

  double replay_probability = 0.5;
  static constexpr Field kReplayProbability{&LevelReplayConfig::replay_probability,
                                            "replay_probability", from_to(0, 1),
                                            "for the fixed schedule and for streams of levels"};

  double warmup_fraction = 0.0;
  static constexpr Field kWarmupFraction =
      Field{&LevelReplayConfig::warmup_fraction, "warmup_fraction", from_to(0, 1),
            "no replay before this fraction of the levels is seen, or of the buffer filled (D1)"}
          .released(1.0);

  bool replay_unseen = false;
  static constexpr Field kReplayUnseen =
      Field{&LevelReplayConfig::replay_unseen, "replay_unseen",
            "for the fixed schedule: while no level is seen, a replay draws any level (D24)"}
          .released(true);

  SeenOn seen_on = SeenOn::kSample;
  static constexpr Field kSeenOn =
      Field{&LevelReplayConfig::seen_on, "seen_on",
            "a level is seen once it is drawn, or once it is scored (D3)"}
          .released(SeenOn::kScore);

  StartConfig start = {};

  std::int64_t staleness_offset = 1;
  static constexpr Field kStalenessOffset =
      Field{&LevelReplayConfig::staleness_offset, "staleness_offset", from_to(0, 1),
            "staleness of the level drawn last: 1, or 0 to never draw it twice in a row (D21)"}
          .released(0);

  double proportional_offset = 1e-3;
  static constexpr Field kProportionalOffset{
      &LevelReplayConfig::proportional_offset, "proportional_offset", at_least(0),
      "added to the scores of the proportional transform if staleness_coef is 0 (D18)"};

  bool clip_negative = true;
  static constexpr Field kClipNegative =
      Field{&LevelReplayConfig::clip_negative, "clip_negative",
            "for the proportional transform: negative scores count as 0; otherwise they are raised "
            "to the power, and count as 0 if the result is not a positive number (D15)"}
          .released(false);

  bool unseen_compete = false;
  static constexpr Field kUnseenCompete =
      Field{&LevelReplayConfig::unseen_compete, "unseen_compete",
            "levels without a score take part in rank and epsilon-greedy with score 0 (D16, D30)"}
          .released(true);

  std::uint64_t buffer_size = 4000;
  static constexpr Field kBufferSize{&LevelReplayConfig::buffer_size, "buffer_size",
                                     from_to(1, 1 << 24),
                                     "M: number of levels of a stream that are kept (D31)"};

  Eviction eviction = Eviction::kProbability;
  static constexpr Field kEviction{
      &LevelReplayConfig::eviction, "eviction",
      "level that leaves a full buffer: least replay probability or least score (D31)"};

  bool evict_on_tie = false;
  static constexpr Field kEvictOnTie{
      &LevelReplayConfig::evict_on_tie, "evict_on_tie",
      "a new level also replaces the level to evict if their scores are equal (D31)"};

  // The order of the fields in files, flags and saved states.
  static constexpr std::tuple kFields{kTransform,
                                      kTemperature,
                                      kStalenessCoef,
                                      kEpsilon,
                                      kSmoothing,
                                      kSchedule,
                                      kReplayProbability,
                                      kWarmupFraction,
                                      kReplayUnseen,
                                      kSeenOn,
                                      Nested{&LevelReplayConfig::start},
                                      kStalenessOffset,
                                      kProportionalOffset,
                                      kClipNegative,
                                      kUnseenCompete,
                                      kBufferSize,
                                      kEviction,
                                      kEvictOnTie};
};

}  // namespace plr

// What can be chosen about Prioritized Level Replay?
//
// Every field has the value of the paper (algorithms 1 to 3 and table 1) as its default.  Where the
// code that its authors released does something else, a field says so; released_code() has all of
// those.  docs/algorithm.md tells each of them at length, by the numbers D1, D2, ... used here.
//
//   LevelReplayConfig config{.temperature = 0.5};
//   check_fields(config);   // std::invalid_argument, naming field, bound and value
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "plr/base/fields.h"
#include "plr/core/algorithms.h"
#include "plr/core/curriculum.h"

namespace plr {

// How a score becomes a weight.
enum class Transform : std::uint8_t {
  kRank,           // rank^(-1/temperature), the highest score having rank 1
  kProportional,   // score^(1/temperature)
  kGreedy,         // all on the highest score
  kSoftmax,        // exp(score/temperature)
  kEpsilonGreedy,  // 1 - epsilon on the highest score, epsilon spread over all seen
  kConstant,       // the same for each
};

// The probability of replaying a level rather than playing a new one, while there are new ones.
enum class ReplaySchedule : std::uint8_t {
  kProportionate,  // the share of levels already seen
  kFixed,          // replay_probability
};

// When a level counts as seen.
enum class SeenOn : std::uint8_t { kSample, kScore };

// Which level of a full buffer makes room for a new one.
enum class Eviction : std::uint8_t { kProbability, kScore };

constexpr std::array<std::string_view, 6> enum_names(Transform) {
  return {"rank", "proportional", "greedy", "softmax", "epsilon-greedy", "constant"};
}
constexpr std::array<std::string_view, 2> enum_names(ReplaySchedule) {
  return {"proportionate", "fixed"};
}
constexpr std::array<std::string_view, 2> enum_names(SeenOn) { return {"sample", "score"}; }
constexpr std::array<std::string_view, 2> enum_names(Eviction) { return {"probability", "score"}; }

struct LevelReplayConfig {
  Transform transform = Transform::kRank;
  double temperature = 0.1;
  double staleness_coef = 0.1;
  double epsilon = 0.05;
  double smoothing = 1.0;

  ReplaySchedule schedule = ReplaySchedule::kProportionate;
  double replay_probability = 0.5;
  double warmup_fraction = 0.0;
  bool replay_unseen = false;
  SeenOn seen_on = SeenOn::kSample;
  FirstLevels first_levels = FirstLevels::kDrawn;

  std::int64_t staleness_offset = 1;
  double proportional_offset = 1e-3;
  bool clip_negative = true;
  bool unseen_compete = false;

  std::uint64_t buffer_size = 4000;
  Eviction eviction = Eviction::kProbability;
  bool evict_on_tie = false;

  // What the authors' released code does, where that is not what their paper says.
  static LevelReplayConfig released_code();
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, LevelReplayConfig>
void visit_fields(Config& config, Visit&& visit) {
  visit("transform", config.transform, any_value(), "how scores become probabilities");
  visit("temperature", config.temperature, above(0),
        "beta: the lower, the more the highest scores are preferred");
  visit("staleness_coef", config.staleness_coef, from_to(0, 1),
        "rho: the share of replays that go to levels by how long they have not been visited");
  visit("epsilon", config.epsilon, from_to(0, 1),
        "of epsilon-greedy: the share spread over all seen levels (D30)");
  visit("smoothing", config.smoothing, above_to(0, 1),
        "alpha: the weight of a new score against the old one; 1 replaces it (D9)");
  visit("schedule", config.schedule, any_value(),
        "when to replay rather than play a new level, for finite sets of levels (D2)");
  visit("replay_probability", config.replay_probability, from_to(0, 1),
        "of the fixed schedule, and of streams of levels");
  visit("warmup_fraction", config.warmup_fraction, from_to(0, 1),
        "no replay before this share of the levels, or of the buffer, is there (D1)");
  visit("replay_unseen", config.replay_unseen, any_value(),
        "of the fixed schedule: while no level is seen, a replay takes any level (D24)");
  visit("seen_on", config.seen_on, any_value(),
        "a level counts as seen once it is drawn, or once it is scored (D3)");
  visit("first_levels", config.first_levels, any_value(),
        "the levels that the slots begin with (D4)");
  visit("staleness_offset", config.staleness_offset, from_to(0, 1),
        "the staleness of the level drawn last: 1, or 0 so that it never follows itself (D21)");
  visit("proportional_offset", config.proportional_offset, at_least(0),
        "added to scores of the proportional transform where staleness_coef is 0 (D18)");
  visit("clip_negative", config.clip_negative, any_value(),
        "of the proportional transform: negative scores count as 0, or are raised to the power and "
        "count as 0 where that is not a positive number (D15)");
  visit("unseen_compete", config.unseen_compete, any_value(),
        "levels without a score take part in rank and epsilon-greedy as if they had 0 (D16, D30)");
  visit("buffer_size", config.buffer_size, from_to(1, 1 << 24),
        "M: levels of a stream that are remembered (D31)");
  visit(
      "eviction", config.eviction, any_value(),
      "the level that leaves a full buffer: of least replay probability, or of least score (D31)");
  visit("evict_on_tie", config.evict_on_tie, any_value(),
        "a new level with the same score as the one to leave takes its place (D31)");
}

inline LevelReplayConfig LevelReplayConfig::released_code() {
  return as_released(LevelReplayConfig{});
}

}  // namespace plr

// The settings of level replay per rollout. Defaults are those of robust PLR in JaxUED's maze.
//
//   RolloutReplayConfig config{.num_edits = 5};   // ACCEL
//   check_fields(config);                         // std::invalid_argument with field and bound
#pragma once

#include <tuple>

#include "plr/base/fields.h"
#include "plr/core/level_buffer_config.h"
#include "plr/core/rollout_scores.h"

namespace plr {

struct RolloutReplayConfig {
  RolloutScore score = RolloutScore::kMaxMc;
  static constexpr Field kScore{&RolloutReplayConfig::score, "rollout_score",
                                "score of a level that is played for a rollout"};

  double replay_probability = 0.8;
  static constexpr Field kReplayProbability{
      &RolloutReplayConfig::replay_probability, "rollout_replay_probability", from_to(0, 1),
      "probability that a rollout replays levels of the buffer instead of new ones"};

  bool learn_on_new = false;
  static constexpr Field kLearnOnNew{
      &RolloutReplayConfig::learn_on_new, "learn_on_new",
      "the agent also learns from rollouts on new and edited levels; false: robust PLR"};

  int num_edits = 0;
  static constexpr Field kNumEdits{
      &RolloutReplayConfig::num_edits, "num_edits", from_to(0, 10'000),
      "ACCEL: random edits of each replayed level, whose children are played next; 0: none"};

  int num_parents = 0;
  static constexpr Field kNumParents{
      &RolloutReplayConfig::num_parents, "num_parents", from_to(0, 1 << 16),
      "number of replayed levels that are edited, those of lowest return minus score, each equally "
      "often; 0: each level once"};

  LevelBufferConfig buffer = {};

  static constexpr std::tuple kFields{kScore,      kReplayProbability,
                                      kLearnOnNew, kNumEdits,
                                      kNumParents, Nested{&RolloutReplayConfig::buffer}};
};

}  // namespace plr

// How is a whole rollout scored at once?
//
// Trainers in Python collect arrays [T, N] and score them when the rollout is full, or after every
// step.  A RolloutScorer takes those arrays and tells an EpisodeScorer (core/episode_scorer.h) what
// happened, slot by slot; it remembers which episodes are open, so that they go on.
//
//   RolloutScorer scorer({}, num_slots, 128);
//   scorer.add(steps, results);               // what became due, in order
//   scorer.end_rollout(next_values, results);
//
// A value type.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/core/episode_scorer.h"

namespace plr::python {

// Some steps of all slots: views of the caller's arrays.
struct StepsView {
  std::size_t num_steps = 0;            // T
  std::size_t num_actions = 0;          // A; 0 without logits
  std::span<const LevelId> levels;      // [T, N]: the level that step t was taken on
  std::span<const double> rewards;      // [T, N]: as the agent learns from them
  std::span<const double> raw_rewards;  // [T, N]: as the environment gives them
  std::span<const double> values;       // [T, N]
  std::span<const bool> dones;          // [T, N]: step t ended its episode
  std::span<const float> logits = {};   // [T, N, A]; may be empty if the score is not of the policy
};

class RolloutScorer {
 public:
  // Throws std::invalid_argument if a setting is out of its bounds.
  RolloutScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                std::size_t rollout_length);

  const EpisodeScorerConfig& config() const { return config_; }
  std::size_t num_slots() const { return slots_.size(); }
  std::size_t rollout_length() const { return rollout_length_; }
  // Whether scores come from the policy, so that logits are needed.
  bool needs_logits() const;

  // Both append what became due.  add() throws std::invalid_argument, and nothing has changed then,
  // if a level changes without an end or a rollout has more steps than its length.
  void add(const StepsView& steps, std::vector<EpisodeResult>& results);
  // next_values[slot] is the value of what follows the slot's last step.
  void end_rollout(std::span<const float> next_values, std::vector<EpisodeResult>& results);
  // Throws std::invalid_argument if one is not finite, as end_rollout does.
  static void check_next(std::span<const float> next_values);

  std::vector<std::byte> save() const;
  // Throws std::runtime_error on damaged bytes or those of other settings; nothing has changed
  // then.
  void load(std::span<const std::byte> bytes);

 private:
  struct Slot {
    LevelId level = 0;
    bool is_open = false;
    double episode_return = 0;
  };

  void check(const StepsView& steps) const;
  double term_of(const StepsView& steps, std::size_t at);

  EpisodeScorerConfig config_;
  std::size_t rollout_length_;
  EpisodeScorer scorer_;
  std::vector<Slot> slots_;
  std::uint64_t num_steps_ = 0;   // of this rollout
  std::vector<float> log_probs_;  // of one step
};

}  // namespace plr::python

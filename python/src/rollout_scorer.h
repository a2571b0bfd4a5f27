// Scores rollouts that are given as arrays [T, N].
//
// Python trainers score a rollout when it is full, or after every step. A RolloutScorer feeds the
// arrays to an EpisodeScorer (core/episode_scorer.h), slot by slot, and keeps track of unfinished
// episodes, which continue in the next call.
//
//   RolloutScorer scorer({}, num_slots, 128);
//   scorer.add(steps, results);               // appends the results that are due, in order
//   scorer.end_rollout(next_values, results);
//
// Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/core/episode_scorer.h"

namespace plr::python {

// Steps of all slots: views of the caller's arrays.
struct StepsView {
  std::size_t num_steps = 0;            // T
  std::size_t num_actions = 0;          // A; 0 without logits
  std::span<const LevelId> levels;      // [T, N]: the level of step t
  std::span<const double> rewards;      // [T, N]: used for learning, e.g. normalized
  std::span<const double> raw_rewards;  // [T, N]: of the environment
  std::span<const double> values;       // [T, N]
  std::span<const bool> dones;          // [T, N]: step t ended its episode
  std::span<const float> logits = {};   // [T, N, A]; may be empty if !needs_logits()
  // [T, N]: step t took no action but started the next episode, and is not scored; may be empty.
  std::span<const bool> autoresets = {};

  bool is_autoreset(std::size_t at) const { return !autoresets.empty() && autoresets[at]; }
};

class RolloutScorer {
 public:
  // Throws std::invalid_argument if a setting is out of bounds.
  RolloutScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                std::size_t rollout_length);

  const EpisodeScorerConfig& config() const { return config_; }
  std::size_t num_slots() const { return slots_.size(); }
  std::size_t rollout_length() const { return rollout_length_; }
  // Whether the score function uses the policy.
  bool needs_logits() const;

  // Both append the results that are due. add() throws std::invalid_argument, without changing
  // anything, if a level changes without an end or a rollout exceeds its length.
  void add(const StepsView& steps, std::vector<EpisodeResult>& results);
  // next_values[slot] is the value of the observation after the slot's last step.
  void end_rollout(std::span<const float> next_values, std::vector<EpisodeResult>& results);
  // Throws std::invalid_argument if a value is not finite, like end_rollout.
  static void check_next(std::span<const float> next_values);

  std::vector<std::byte> save() const;
  // Throws std::runtime_error, without changing anything, if the bytes are damaged or belong to
  // other settings.
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

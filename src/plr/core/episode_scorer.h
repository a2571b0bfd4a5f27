// How much may still be learnt from an episode?
//
// The collector tells the scorer what happens in each of N slots; the scorer turns the steps of an
// episode into its score, the mean of one quantity per step, and hands finished results on:
//
//   EpisodeScorer scorer({}, num_slots, rollout_length);
//   scorer.begin(slot, level);
//   scorer.step(slot, reward, value, policy_term);      // once per step
//   scorer.end(slot, episode_return);                   // that step ended the episode
//   scorer.drain([&](const EpisodeResult& result) { curriculum.record(result); });
//   ...
//   scorer.end_rollout(next_values);                    // the values that bootstrap open episodes
//
// An episode that spans rollouts is scored piece by piece, each with the values of its own time;
// each piece is a result, or their average by the number of steps is.  Rewards are the normalized
// ones that the agent learns from.  A value type.  Not synchronized.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plr/base/fields.h"
#include "plr/core/algorithms.h"
#include "plr/core/curriculum.h"

namespace plr {

// The quantity per step, with delta = reward + gamma V' - V and A the advantage.
enum class ScoreFunction : std::uint8_t {
  kValueL1,          // |A|, the one that the paper recommends
  kGae,              // A
  kOneStepTdError,   // |delta|
  kPolicyEntropy,    // -sum p log p / log(number of actions)
  kLeastConfidence,  // 1 - max p
  kMinMargin,        // 1 - (max p - second p)
};
// When results are handed on.
enum class ScoreUpdate : std::uint8_t { kEpisode, kRollout };
// What becomes of an episode that is open when a rollout ends.
enum class OpenEpisodes : std::uint8_t {
  kStitch,  // its pieces make one score at its end
  kCommit,  // the piece counts as a whole episode, and the rest begins anew
};
// In which order results of one rollout are handed on.
enum class UpdateOrder : std::uint8_t { kTime, kSlot };

constexpr std::array<std::string_view, 6> enum_names(ScoreFunction) {
  return {"value_l1",         "gae",       "one_step_td_error", "policy_entropy",
          "least_confidence", "min_margin"};
}
constexpr std::array<std::string_view, 2> enum_names(ScoreUpdate) { return {"episode", "rollout"}; }
constexpr std::array<std::string_view, 2> enum_names(OpenEpisodes) { return {"stitch", "commit"}; }
constexpr std::array<std::string_view, 2> enum_names(UpdateOrder) { return {"time", "slot"}; }

struct EpisodeScorerConfig {
  ScoreFunction score_function = ScoreFunction::kValueL1;
  double gamma = 0.999;
  double gae_lambda = 0.95;
  ScoreUpdate score_update = ScoreUpdate::kEpisode;
  OpenEpisodes open_episodes = OpenEpisodes::kCommit;
  UpdateOrder update_order = UpdateOrder::kTime;
  bool commit_zeros = true;
  bool tail_row = false;
  bool released_td_error = false;
  bool printed_signs = false;

  // What the authors' released code does, where that is not what their paper says.
  static EpisodeScorerConfig released_code();
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, EpisodeScorerConfig>
void visit_fields(Config& config, Visit&& visit) {
  visit("score_function", config.score_function, any_value(),
        "what is averaged over an episode's steps to score its level");
  visit("gamma", config.gamma, from_to(0, 1), "discount per step");
  visit("gae_lambda", config.gae_lambda, from_to(0, 1), "lambda of the advantages");
  visit("score_update", config.score_update, any_value(),
        "scores change when an episode ends, or when a rollout does (D5)");
  visit("open_episodes", config.open_episodes, any_value(),
        "an episode that spans rollouts has one score, or one for each rollout (D6)");
  visit("update_order", config.update_order, any_value(),
        "results of one rollout are recorded as they came, or slot by slot (D8)");
  visit("commit_zeros", config.commit_zeros, any_value(),
        "an open episode whose score is exactly 0 is committed too (D7)");
  visit("tail_row", config.tail_row, any_value(),
        "value_l1 and gae of an open episode count one more step of return 0 (D29)");
  visit("released_td_error", config.released_td_error, any_value(),
        "one_step_td_error is |r + V - V'| over all steps but the last (D14)");
  visit("printed_signs", config.printed_signs, any_value(),
        "policy_entropy and min_margin with the signs printed in the paper's table, which prefer "
        "what the agent is sure of (D12, D13)");
}

inline EpisodeScorerConfig EpisodeScorerConfig::released_code() {
  return as_released(EpisodeScorerConfig{});
}

// The per-step quantity of the functions of the policy, from its log-probabilities; 0 for others.
double policy_term(ScoreFunction function, std::span<const float> log_probs);

class EpisodeScorer {
 public:
  // A rollout has at most `rollout_length` steps.  Throws std::invalid_argument if a setting is out
  // of its bounds.
  EpisodeScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                std::size_t rollout_length);

  // These throw std::out_of_range for an unknown slot and std::invalid_argument if the slot is not
  // where the call needs it to be, for example a step before begin.
  void begin(std::size_t slot, LevelId level);
  void step(std::size_t slot, double reward, double value, double policy_term);
  void end(std::size_t slot, double episode_return);
  // next_values[slot] is the value of the state that follows the slot's last step.
  void end_rollout(std::span<const float> next_values);

  // Hands over every result that is due, in order, to record(const EpisodeResult&).
  template <class Record>
  void drain(Record record) {
    for (const EpisodeResult& result : due_) record(result);
    due_.clear();
  }

  std::vector<std::byte> save() const;
  // Throws std::runtime_error on damaged bytes or those of other settings; nothing has changed
  // then.
  void load(std::span<const std::byte> bytes);

 private:
  // The episode that a slot is playing.
  struct Episode {
    LevelId level = 0;
    bool is_open = false;
    double sum = 0;            // over the pieces in earlier rollouts
    std::uint64_t count = 0;   // their number of steps
    std::uint64_t length = 0;  // steps in this rollout
    double policy_sum = 0;     // over those
    double score() const { return sum / static_cast<double>(count); }
  };

  Episode& open_episode(std::size_t slot);
  void close_piece(std::size_t slot, bool is_terminal, double bootstrap);
  void add_advantages(std::size_t slot, bool is_terminal, double bootstrap);
  void add_released_td_errors(std::size_t slot);

  EpisodeScorerConfig config_;
  std::size_t rollout_length_;
  std::vector<Episode> episodes_;                               // [slot]
  std::vector<double> rewards_;                                 // [slot, step]
  std::vector<double> values_;                                  // [slot, step]
  std::vector<std::pair<std::size_t, EpisodeResult>> waiting_;  // for the rollout's end, with slot
  std::vector<EpisodeResult> due_;
};

}  // namespace plr

// Scores episodes: the mean of a quantity per step, by which level replay ranks levels.
//
//   EpisodeScorer scorer({}, num_slots, rollout_length);
//   scorer.begin(slot, level);
//   scorer.step(slot, reward, value, policy_term);      // once per step
//   scorer.end(slot, episode_return);                   // after the last step of the episode
//   scorer.drain([&](const EpisodeResult& result) { curriculum.record(result); });
//   ...
//   scorer.end_rollout(next_values);                    // values that bootstrap open episodes
//
// An episode that spans rollouts is scored in pieces, each with the values of its own rollout.
// Each piece is a result of its own, or the result is their mean over all steps. Rewards are the
// normalized ones that the agent is trained on.
//
// step() takes O(1), end() O(episode length). Does not allocate in steady state. Copyable. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plr/base/fields.h"
#include "plr/core/curriculum.h"

namespace plr {

// The quantity per step, with delta = reward + gamma V' - V and A the advantage.
enum class ScoreFunction : std::uint8_t {
  kValueL1,
  kGae,
  kOneStepTdError,
  kPolicyEntropy,
  kLeastConfidence,
  kMinMargin,
};
// When results become due.
enum class ScoreUpdate : std::uint8_t { kEpisode, kRollout };
// How an episode is scored that is open at the end of a rollout.
enum class OpenEpisodes : std::uint8_t { kStitch, kCommit };
// The order in which the results of a rollout become due.
enum class UpdateOrder : std::uint8_t { kTime, kSlot };

constexpr std::array<std::string_view, 6> enum_names(ScoreFunction) {
  return {"value_l1",         "gae",       "one_step_td_error", "policy_entropy",
          "least_confidence", "min_margin"};
}
constexpr std::array<std::string_view, 6> enum_texts(ScoreFunction) {
  return {"mean |A|, A the advantage; recommended by the paper",
          "mean A",
          "mean |reward + gamma V' - V|",
          "mean entropy of the policy, relative to that of equal probabilities",
          "mean 1 - p1, p1 the highest action probability",
          "mean 1 - (p1 - p2), p1 and p2 the two highest action probabilities"};
}
constexpr std::array<std::string_view, 2> enum_names(ScoreUpdate) { return {"episode", "rollout"}; }
constexpr std::array<std::string_view, 2> enum_texts(ScoreUpdate) {
  return {"when the episode ends", "when the rollout ends"};
}
constexpr std::array<std::string_view, 2> enum_names(OpenEpisodes) { return {"stitch", "commit"}; }
constexpr std::array<std::string_view, 2> enum_texts(OpenEpisodes) {
  return {"one score at its end, over all pieces", "each piece is scored like an episode"};
}
constexpr std::array<std::string_view, 2> enum_names(UpdateOrder) { return {"time", "slot"}; }
constexpr std::array<std::string_view, 2> enum_texts(UpdateOrder) {
  return {"by the step at which episodes end",
          "by slot: of several results for a level, that of the last slot counts"};
}

struct EpisodeScorerConfig {
  ScoreFunction score_function = ScoreFunction::kValueL1;
  static constexpr Field kScoreFunction{
      &EpisodeScorerConfig::score_function, "score_function",
      "quantity whose mean over an episode's steps is the score of its level"};

  double gamma = 0.999;
  static constexpr Field kGamma{&EpisodeScorerConfig::gamma, "gamma", from_to(0, 1),
                                "discount per step"};

  double gae_lambda = 0.95;
  static constexpr Field kGaeLambda{&EpisodeScorerConfig::gae_lambda, "gae_lambda", from_to(0, 1),
                                    "lambda of the advantages"};

  ScoreUpdate score_update = ScoreUpdate::kEpisode;
  static constexpr Field kScoreUpdate =
      Field{&EpisodeScorerConfig::score_update, "score_update",
            "scores are recorded at the end of an episode, or of a rollout (D5)"}
          .released(ScoreUpdate::kRollout);

  OpenEpisodes open_episodes = OpenEpisodes::kCommit;
  static constexpr Field kOpenEpisodes =
      Field{&EpisodeScorerConfig::open_episodes, "open_episodes",
            "an episode that spans rollouts has one score, or one per rollout (D6)"}
          .paper(OpenEpisodes::kStitch)
          .released(OpenEpisodes::kCommit);

  UpdateOrder update_order = UpdateOrder::kTime;
  static constexpr Field kUpdateOrder =
      Field{&EpisodeScorerConfig::update_order, "update_order",
            "results of one rollout are recorded in the order of time, or of the slots (D8)"}
          .released(UpdateOrder::kSlot);

  bool commit_zeros = true;
  static constexpr Field kCommitZeros =
      Field{&EpisodeScorerConfig::commit_zeros, "commit_zeros",
            "an open episode is also committed if its score is exactly 0 (D7)"}
          .released(false);

  bool tail_row = false;
  static constexpr Field kTailRow =
      Field{&EpisodeScorerConfig::tail_row, "tail_row",
            "value_l1 and gae of an open episode count one extra step of return 0 (D29)"}
          .released(true);

  bool released_td_error = false;
  static constexpr Field kReleasedTdError =
      Field{&EpisodeScorerConfig::released_td_error, "released_td_error",
            "one_step_td_error is |r + V - V'| over all steps except the last (D14)"}
          .released(true);

  bool printed_signs = false;
  static constexpr Field kPrintedSigns{
      &EpisodeScorerConfig::printed_signs, "printed_signs",
      "policy_entropy and min_margin with the signs printed in the paper's table, which prefer "
      "levels where the policy is certain (D12, D13)"};

  static constexpr std::tuple kFields{kScoreFunction,   kGamma,       kGaeLambda,   kScoreUpdate,
                                      kOpenEpisodes,    kUpdateOrder, kCommitZeros, kTailRow,
                                      kReleasedTdError, kPrintedSigns};
};

// Whether the score is a quantity of the policy, which step() takes as `policy_term`.
constexpr bool needs_policy_term(ScoreFunction function) {
  return function == ScoreFunction::kPolicyEntropy || function == ScoreFunction::kLeastConfidence ||
         function == ScoreFunction::kMinMargin;
}

// The per-step quantity of a score function of the policy, from log-probabilities; 0 for others.
double policy_term(ScoreFunction function, std::span<const float> log_probs);

class EpisodeScorer {
 public:
  // A rollout has at most `rollout_length` steps per slot. Throws std::invalid_argument if a
  // setting is out of bounds.
  EpisodeScorer(const EpisodeScorerConfig& config, std::size_t num_slots,
                std::size_t rollout_length);

  // These throw std::out_of_range for an unknown slot and std::invalid_argument for a call out of
  // order, for example step() before begin().
  void begin(std::size_t slot, LevelId level);
  void step(std::size_t slot, double reward, double value, double policy_term);
  void end(std::size_t slot, double episode_return);
  // next_values[slot] is the value of the state after the slot's last step.
  void end_rollout(std::span<const float> next_values);

  // Calls record(const EpisodeResult&) for every due result, in order, and removes them.
  template <class Record>
  void drain(Record record) {
    for (const EpisodeResult& result : due_) record(result);
    due_.clear();
  }

  // REQUIRES: no result is due.
  std::vector<std::byte> save() const;
  // Throws std::runtime_error if the bytes are damaged or were saved with other settings, and then
  // changes nothing.
  void load(std::span<const std::byte> bytes);

 private:
  // The episode of a slot.
  struct Episode {
    LevelId level = 0;
    bool is_open = false;
    double sum = 0;            // over the pieces in earlier rollouts
    std::uint64_t count = 0;   // their number of steps
    std::uint64_t length = 0;  // steps in this rollout
    double policy_sum = 0;     // over those
    double score() const { return sum / static_cast<double>(count); }
  };

  Episode& episode_of(std::size_t slot);
  Episode& open_episode(std::size_t slot);
  void close_piece(std::size_t slot, bool is_terminal, double bootstrap);
  void add_advantages(std::size_t slot, bool is_terminal, double bootstrap);
  void add_released_td_errors(std::size_t slot);

  EpisodeScorerConfig config_;
  std::size_t rollout_length_;
  std::vector<Episode> episodes_;  // [slot]
  std::vector<double> rewards_;    // [slot, step]
  std::vector<double> values_;     // [slot, step]
  std::vector<std::pair<std::size_t, EpisodeResult>>
      waiting_;  // for the end of the rollout, with slot
  std::vector<EpisodeResult> due_;
};

}  // namespace plr

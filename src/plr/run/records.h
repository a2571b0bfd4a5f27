// Records of a run: what log.jsonl, eval.jsonl, levels.jsonl, levels.csv and cvar.csv hold.
//
// Each record is a struct, and visit_record() lists its fields once: name, member, and whether the
// field must be present. JSON, TensorBoard scalars, CSV columns and the schema for Python are
// derived from that list (run/record_files.h), so a renamed field changes for every reader.
//
//   const LogRecord record{.update = 1, .steps = 8192, .episode_return = 0.25};
//   visit_record(record, [](std::string_view name, const auto& value, Presence) { ... });
//
// Readers ignore unknown fields. Copyable values; concurrent reads are safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace plr::run {

enum class Presence : std::uint8_t {
  kRequired,  // always written; a record without it is damaged
  kExpected,  // always written; a record of another version may lack it and gets the default
  kOptional,  // written only if set: a non-empty optional or list, or true
};

// The value of a number that a record of another version lacks.
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A line of log.jsonl, one per update.
struct LogRecord {
  static constexpr const char* kTagPrefix = "train/";  // in TensorBoard

  std::int64_t update = 0;
  std::int64_t steps = 0;              // environment steps so far
  double seconds = kMissing;           // since this process started
  double steps_per_second = kMissing;  // of this process
  std::uint64_t episodes = 0;          // finished since the run began
  double episode_return = kMissing;    // mean of the last 100 training episodes, like the next two
  double success = kMissing;
  double length = kMissing;
  // Means over the update's mini-batches, up to approx_kl; missing, like the next two, if the agent
  // did not learn from the rollout.
  double policy_loss = kMissing;
  double value_loss = kMissing;
  double entropy = kMissing;
  double grad_norm = kMissing;
  double clip_fraction = kMissing;
  double approx_kl = kMissing;
  double explained_variance = kMissing;           // of the returns, by the values at collection
  double advantage_deviation = kMissing;          // of the update's advantages, not normalized
  double return_deviation = kMissing;             // by which rewards are divided
  std::optional<double> drac_loss = {};           // with DrAC
  std::optional<std::string> augmentation = {};   // with DrAC
  std::optional<std::uint64_t> levels_seen = {};  // with level replay, like the next two
  std::optional<std::int64_t> draws = {};
  std::optional<double> replay_probability = {};
  // With a curriculum that decides per rollout:
  std::optional<std::int64_t> gradient_updates = {};   // rollouts that the agent has learned from
  std::optional<std::string> rollout_kind = {};        // new, replay, edited or mixed levels
  std::optional<std::int64_t> unmeasured_levels = {};  // on which no episode ended
};

// The episodes of an evaluation on one level of a test environment with fixed levels.
struct TestLevel {
  std::string name = {};
  std::int64_t episodes = 0;
  std::int64_t solved = 0;  // of these episodes
  double mean_return = kMissing;
};

// A line of eval.jsonl, one per evaluation.
struct EvalRecord {
  static constexpr const char* kTagPrefix = "eval/";  // in TensorBoard

  std::int64_t update = 0;
  std::int64_t steps = 0;
  std::int64_t episodes = 0;  // on test levels, and as many on training levels
  std::string stream = {};    // the random stream from which levels and actions are drawn
  std::optional<std::int64_t> behavior_version = {};  // run/behavior_version.h
  double test_return = kMissing;  // means; _error is the standard error of the return
  double test_error = kMissing;
  double test_success = kMissing;
  double test_length = kMissing;
  double train_return = kMissing;
  double train_error = kMissing;
  double train_success = kMissing;
  double train_length = kMissing;
  double gap = kMissing;                    // train_return - test_return
  bool is_final = false;                    // the evaluation after the last update
  std::vector<double> test_returns = {};    // per episode; of the final evaluation only
  std::vector<TestLevel> test_levels = {};  // where the test environment has fixed levels
};

// One of the most probable levels in a LevelsRecord.
struct LeadingLevel {
  std::uint64_t level = 0;
  double probability = 0;
  double score = 0;
  double staleness = 0;
  std::optional<std::string> data = {};  // the bytes of a stored level, in hexadecimal digits
};

// A line of levels.jsonl: how the replay probability is distributed over the levels.
struct LevelsRecord {
  std::int64_t update = 0;
  std::int64_t steps = 0;
  std::uint64_t levels = 0;            // that may be replayed
  double effective_levels = kMissing;  // 1 / sum of squared probabilities
  double mean_score = kMissing;
  std::vector<double> by_difficulty = {};  // probability per difficulty, where levels have one
  std::optional<double> expected_difficulty = {};
  std::vector<LeadingLevel> leading = {};  // at most ten, the most probable first
};

// A row of levels.csv.
struct LevelRow {
  std::uint64_t level = 0;
  double probability = 0;
  double score = 0;
  double staleness = 0;
  std::optional<int> difficulty = {};    // where levels have one
  std::optional<std::string> data = {};  // the bytes of a stored level, in hexadecimal digits
};

// A row of cvar.csv: episodes on one level in two evaluations with different random numbers.
struct CvarRow {
  std::uint64_t level = 0;
  std::int64_t episodes_a = 0;
  std::int64_t successes_a = 0;  // episodes with a return above 0
  std::int64_t episodes_b = 0;
  std::int64_t successes_b = 0;
};

template <class T, class Record>
concept RecordType = std::same_as<std::remove_const_t<T>, Record>;

// Calls visit(name, member, presence) for each field, in the order in which they are written.
template <RecordType<LogRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kExpected);
  visit("steps", record.steps, Presence::kRequired);
  visit("seconds", record.seconds, Presence::kExpected);
  visit("steps_per_second", record.steps_per_second, Presence::kExpected);
  visit("episodes", record.episodes, Presence::kExpected);
  visit("return", record.episode_return, Presence::kExpected);
  visit("success", record.success, Presence::kExpected);
  visit("length", record.length, Presence::kExpected);
  visit("policy_loss", record.policy_loss, Presence::kExpected);
  visit("value_loss", record.value_loss, Presence::kExpected);
  visit("entropy", record.entropy, Presence::kExpected);
  visit("grad_norm", record.grad_norm, Presence::kExpected);
  visit("clip_fraction", record.clip_fraction, Presence::kExpected);
  visit("approx_kl", record.approx_kl, Presence::kExpected);
  visit("explained_variance", record.explained_variance, Presence::kExpected);
  visit("advantage_deviation", record.advantage_deviation, Presence::kExpected);
  visit("return_deviation", record.return_deviation, Presence::kExpected);
  visit("drac_loss", record.drac_loss, Presence::kOptional);
  visit("augmentation", record.augmentation, Presence::kOptional);
  visit("levels_seen", record.levels_seen, Presence::kOptional);
  visit("draws", record.draws, Presence::kOptional);
  visit("replay_probability", record.replay_probability, Presence::kOptional);
  visit("gradient_updates", record.gradient_updates, Presence::kOptional);
  visit("rollout_kind", record.rollout_kind, Presence::kOptional);
  visit("unmeasured_levels", record.unmeasured_levels, Presence::kOptional);
}

template <RecordType<EvalRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kExpected);
  visit("steps", record.steps, Presence::kRequired);
  visit("episodes", record.episodes, Presence::kExpected);
  visit("stream", record.stream, Presence::kExpected);
  visit("behavior_version", record.behavior_version, Presence::kOptional);
  visit("test_return", record.test_return, Presence::kRequired);
  visit("test_error", record.test_error, Presence::kExpected);
  visit("test_success", record.test_success, Presence::kExpected);
  visit("test_length", record.test_length, Presence::kExpected);
  visit("train_return", record.train_return, Presence::kExpected);
  visit("train_error", record.train_error, Presence::kExpected);
  visit("train_success", record.train_success, Presence::kExpected);
  visit("train_length", record.train_length, Presence::kExpected);
  visit("gap", record.gap, Presence::kExpected);
  visit("final", record.is_final, Presence::kOptional);
  visit("test_returns", record.test_returns, Presence::kOptional);
  visit("test_levels", record.test_levels, Presence::kOptional);
}

template <RecordType<TestLevel> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("name", record.name, Presence::kRequired);
  visit("episodes", record.episodes, Presence::kRequired);
  visit("solved", record.solved, Presence::kRequired);
  visit("return", record.mean_return, Presence::kExpected);
}

template <RecordType<LeadingLevel> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired);
  visit("probability", record.probability, Presence::kExpected);
  visit("score", record.score, Presence::kExpected);
  visit("staleness", record.staleness, Presence::kExpected);
  visit("data", record.data, Presence::kOptional);
}

template <RecordType<LevelsRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kRequired);
  visit("steps", record.steps, Presence::kExpected);
  visit("levels", record.levels, Presence::kExpected);
  visit("effective_levels", record.effective_levels, Presence::kExpected);
  visit("mean_score", record.mean_score, Presence::kExpected);
  visit("by_difficulty", record.by_difficulty, Presence::kOptional);
  visit("expected_difficulty", record.expected_difficulty, Presence::kOptional);
  visit("leading", record.leading, Presence::kExpected);
}

template <RecordType<LevelRow> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired);
  visit("probability", record.probability, Presence::kRequired);
  visit("score", record.score, Presence::kRequired);
  visit("staleness", record.staleness, Presence::kRequired);
  visit("difficulty", record.difficulty, Presence::kOptional);
  visit("data", record.data, Presence::kOptional);
}

template <RecordType<CvarRow> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired);
  visit("episodes_a", record.episodes_a, Presence::kRequired);
  visit("successes_a", record.successes_a, Presence::kRequired);
  visit("episodes_b", record.episodes_b, Presence::kRequired);
  visit("successes_b", record.successes_b, Presence::kRequired);
}

// True if this record ends a run. Runs of older versions have no "final" field; there the last
// evaluation is the only one that lists its returns.
inline bool is_final_evaluation(const EvalRecord& record) {
  return record.is_final || !record.test_returns.empty();
}

// True if a run is finished, by the last lines of log.jsonl and eval.jsonl: its final evaluation
// belongs to the last update. A finished run that was resumed with more steps is not finished.
inline bool is_finished(const LogRecord& last_update, const EvalRecord& last_evaluation) {
  return is_final_evaluation(last_evaluation) && last_evaluation.steps == last_update.steps;
}

}  // namespace plr::run

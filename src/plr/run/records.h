// Records of a run: what log.jsonl, eval.jsonl, levels.jsonl, levels.csv and cvar.csv hold.
//
// Each record is a struct, and visit_record() lists its fields once: name, member, whether the
// field must be present, and what it means. JSON, TensorBoard scalars, CSV columns, the schema for
// Python and docs/reference/run_files.md are derived from that list (run/record_files.h), so a
// renamed field changes for every reader.
//
//   const LogRecord record{.update = 1, .steps = 8192, .episode_return = 0.25};
//   visit_record(record, [](std::string_view name, const auto& value, Presence,
//                           std::string_view meaning) { ... });
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
  std::int64_t steps = 0;
  double seconds = kMissing;
  double steps_per_second = kMissing;
  std::uint64_t episodes = 0;
  double episode_return = kMissing;
  double success = kMissing;
  double length = kMissing;
  double policy_loss = kMissing;
  double value_loss = kMissing;
  double entropy = kMissing;
  double grad_norm = kMissing;
  double clip_fraction = kMissing;
  double approx_kl = kMissing;
  double explained_variance = kMissing;
  double advantage_deviation = kMissing;
  double return_deviation = kMissing;
  std::optional<double> drac_loss = {};
  std::optional<std::string> augmentation = {};
  std::optional<std::uint64_t> levels_seen = {};
  std::optional<std::int64_t> draws = {};
  std::optional<double> replay_probability = {};
  std::optional<std::int64_t> gradient_updates = {};
  std::optional<std::string> rollout_kind = {};
  std::optional<std::int64_t> unmeasured_levels = {};
};

// The episodes of an evaluation on one level of a test environment with fixed levels.
struct TestLevel {
  std::string name = {};
  std::int64_t episodes = 0;
  std::int64_t solved = 0;
  double mean_return = kMissing;
};

// A line of eval.jsonl, one per evaluation.
struct EvalRecord {
  static constexpr const char* kTagPrefix = "eval/";  // in TensorBoard

  std::int64_t update = 0;
  std::int64_t steps = 0;
  std::int64_t episodes = 0;
  std::string stream = {};
  std::optional<std::int64_t> behavior_version = {};  // run/behavior_version.h
  double test_return = kMissing;
  double test_error = kMissing;
  double test_success = kMissing;
  double test_length = kMissing;
  double train_return = kMissing;
  double train_error = kMissing;
  double train_success = kMissing;
  double train_length = kMissing;
  double gap = kMissing;
  bool is_final = false;
  std::vector<double> test_returns = {};
  std::vector<TestLevel> test_levels = {};
};

// One of the most probable levels in a LevelsRecord.
struct LeadingLevel {
  std::uint64_t level = 0;
  double probability = 0;
  double score = 0;
  double staleness = 0;
  std::optional<std::string> data = {};
};

// A line of levels.jsonl: how the replay probability is distributed over the levels.
struct LevelsRecord {
  std::int64_t update = 0;
  std::int64_t steps = 0;
  std::uint64_t levels = 0;
  double effective_levels = kMissing;
  double mean_score = kMissing;
  std::vector<double> by_difficulty = {};
  std::optional<double> expected_difficulty = {};
  std::vector<LeadingLevel> leading = {};
};

// A row of levels.csv.
struct LevelRow {
  std::uint64_t level = 0;
  double probability = 0;
  double score = 0;
  double staleness = 0;
  std::optional<int> difficulty = {};
  std::optional<std::string> data = {};
};

// A row of cvar.csv: episodes on one level in two evaluations with different random numbers.
struct CvarRow {
  std::uint64_t level = 0;
  std::int64_t episodes_a = 0;
  std::int64_t successes_a = 0;
  std::int64_t episodes_b = 0;
  std::int64_t successes_b = 0;
};

template <class T, class Record>
concept RecordType = std::same_as<std::remove_const_t<T>, Record>;

// Calls visit(name, member, presence, meaning) for each field, in the order in which they are
// written.
template <RecordType<LogRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kExpected, "updates so far, this one included");
  visit("steps", record.steps, Presence::kRequired, "environment steps so far");
  visit("seconds", record.seconds, Presence::kExpected, "since this process started");
  visit("steps_per_second", record.steps_per_second, Presence::kExpected, "of this process");
  visit("episodes", record.episodes, Presence::kExpected, "finished since the run began");
  visit("return", record.episode_return, Presence::kExpected,
        "mean of the last 100 training episodes");
  visit("success", record.success, Presence::kExpected,
        "fraction of the last 100 training episodes that solved their level");
  visit("length", record.length, Presence::kExpected,
        "mean steps of the last 100 training episodes");
  visit("policy_loss", record.policy_loss, Presence::kExpected,
        "mean over the update's mini-batches; null, like the next seven, if the agent did not "
        "learn from the rollout");
  visit("value_loss", record.value_loss, Presence::kExpected, "mean over the mini-batches");
  visit("entropy", record.entropy, Presence::kExpected,
        "of the policy, mean over the mini-batches");
  visit("grad_norm", record.grad_norm, Presence::kExpected,
        "before clipping, mean over the mini-batches");
  visit("clip_fraction", record.clip_fraction, Presence::kExpected,
        "of the samples, those whose ratio was clipped");
  visit("approx_kl", record.approx_kl, Presence::kExpected,
        "divergence of the policy from the one that played");
  visit("explained_variance", record.explained_variance, Presence::kExpected,
        "of the returns, by the values at collection");
  visit("advantage_deviation", record.advantage_deviation, Presence::kExpected,
        "standard deviation of the advantages before they are normalized");
  visit("return_deviation", record.return_deviation, Presence::kExpected,
        "by which rewards are divided");
  visit("drac_loss", record.drac_loss, Presence::kOptional, "with DrAC");
  visit("augmentation", record.augmentation, Presence::kOptional,
        "with DrAC: the augmentation of the update");
  visit("levels_seen", record.levels_seen, Presence::kOptional,
        "with level replay: levels that can be replayed");
  visit("draws", record.draws, Presence::kOptional, "with level replay: levels drawn so far");
  visit("replay_probability", record.replay_probability, Presence::kOptional,
        "with level replay: that the next draw is a replay");
  visit("gradient_updates", record.gradient_updates, Presence::kOptional,
        "with decide = rollout: rollouts that the agent has learned from");
  visit("rollout_kind", record.rollout_kind, Presence::kOptional,
        "with decide = rollout: new, replay, edited or mixed levels");
  visit("unmeasured_levels", record.unmeasured_levels, Presence::kOptional,
        "with decide = rollout: levels on which no episode ended");
}

template <RecordType<EvalRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kExpected, "updates before the evaluation");
  visit("steps", record.steps, Presence::kRequired, "environment steps before the evaluation");
  visit("episodes", record.episodes, Presence::kExpected,
        "on test levels, and as many on training levels");
  visit("stream", record.stream, Presence::kExpected,
        "the random stream from which the levels are drawn; with /test or /train, that of the "
        "actions");
  visit("behavior_version", record.behavior_version, Presence::kOptional,
        "changes whenever a run with the same seed would differ");
  visit("test_return", record.test_return, Presence::kRequired, "mean return on test levels");
  visit("test_error", record.test_error, Presence::kExpected, "its standard error");
  visit("test_success", record.test_success, Presence::kExpected,
        "fraction of episodes that solved their level");
  visit("test_length", record.test_length, Presence::kExpected, "mean steps of an episode");
  visit("train_return", record.train_return, Presence::kExpected, "mean return on training levels");
  visit("train_error", record.train_error, Presence::kExpected, "its standard error");
  visit("train_success", record.train_success, Presence::kExpected,
        "fraction of episodes that solved their level");
  visit("train_length", record.train_length, Presence::kExpected, "mean steps of an episode");
  visit("gap", record.gap, Presence::kExpected, "train_return - test_return");
  visit("final", record.is_final, Presence::kOptional, "the evaluation after the last update");
  visit("test_returns", record.test_returns, Presence::kOptional,
        "the return of every episode; of the final evaluation only");
  visit("test_levels", record.test_levels, Presence::kOptional,
        "results by level, where the test environment has fixed levels");
}

template <RecordType<TestLevel> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("name", record.name, Presence::kRequired, "of the level");
  visit("episodes", record.episodes, Presence::kRequired, "played on it");
  visit("solved", record.solved, Presence::kRequired, "of these episodes");
  visit("return", record.mean_return, Presence::kExpected, "mean");
}

template <RecordType<LeadingLevel> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired, "its id");
  visit("probability", record.probability, Presence::kExpected, "that a replay draws it");
  visit("score", record.score, Presence::kExpected, "its last score");
  visit("staleness", record.staleness, Presence::kExpected, "draws since it was last played");
  visit("data", record.data, Presence::kOptional,
        "the bytes of a stored level, in hexadecimal digits");
}

template <RecordType<LevelsRecord> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("update", record.update, Presence::kRequired, "updates so far");
  visit("steps", record.steps, Presence::kExpected, "environment steps so far");
  visit("levels", record.levels, Presence::kExpected, "that may be replayed");
  visit("effective_levels", record.effective_levels, Presence::kExpected,
        "1 / sum of squared probabilities");
  visit("mean_score", record.mean_score, Presence::kExpected, "mean over these levels");
  visit("by_difficulty", record.by_difficulty, Presence::kOptional,
        "probability per difficulty, where levels have one");
  visit("expected_difficulty", record.expected_difficulty, Presence::kOptional,
        "mean difficulty by replay probability");
  visit("leading", record.leading, Presence::kExpected,
        "at most ten levels, the most probable first");
}

template <RecordType<LevelRow> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired, "its id");
  visit("probability", record.probability, Presence::kRequired, "that a replay draws it");
  visit("score", record.score, Presence::kRequired, "its last score");
  visit("staleness", record.staleness, Presence::kRequired, "draws since it was last played");
  visit("difficulty", record.difficulty, Presence::kOptional, "where levels have one");
  visit("data", record.data, Presence::kOptional,
        "the bytes of a stored level, in hexadecimal digits");
}

template <RecordType<CvarRow> Record, class Visit>
void visit_record(Record& record, Visit&& visit) {
  visit("level", record.level, Presence::kRequired, "its id");
  visit("episodes_a", record.episodes_a, Presence::kRequired, "played in the first evaluation");
  visit("successes_a", record.successes_a, Presence::kRequired, "of these, with a return above 0");
  visit("episodes_b", record.episodes_b, Presence::kRequired,
        "played in the second evaluation, with other random numbers");
  visit("successes_b", record.successes_b, Presence::kRequired, "of these, with a return above 0");
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

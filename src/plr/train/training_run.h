// The parts of a training run, and the steps of its loop (trainer.cc).
//
//   TrainingRun run(config, "runs/first", world);
//   run.begin(Locking::kRequired);                 // or resume()
//   run.play_rollout({.should_stop = should_stop});
//   run.record(run.update_agent());
//
// The parts are constructed from the settings. Each part that draws random numbers has a named
// stream of its own (base/random.h).
//
// All ranks of a run have such an object and call the same functions in the same order. Not
// copyable. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/base/open_file.h"
#include "plr/base/random.h"
#include "plr/collect/collector.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_store.h"
#include "plr/core/reward_normalizer.h"
#include "plr/distributed/rank_log.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"
#include "plr/learn/ppo.h"
#include "plr/learn/regularizers.h"
#include "plr/learn/rollout.h"
#include "plr/run/behavior_version.h"
#include "plr/run/checkpoint.h"
#include "plr/run/run_files.h"
#include "plr/train/checkpoint_parts.h"
#include "plr/train/config.h"
#include "plr/train/curricula.h"
#include "plr/train/evaluator.h"
#include "plr/train/planned_rollouts.h"
#include "plr/train/progress.h"
#include "plr/train/rank_share.h"
#include "plr/train/run_recorder.h"
#include "plr/train/trainer.h"

namespace plr::train {

// Throws std::invalid_argument if the folder holds a run or logs of one.
void expect_no_run(const std::filesystem::path& folder);

class TrainingRun {
 public:
  TrainingRun(const TrainConfig& given, const std::filesystem::path& path,
              std::shared_ptr<distributed::World> world);

  void begin(Locking locking);
  void resume(Locking locking);
  // Plays a rollout. False if a survey before it was stopped; nothing has changed then.
  bool play_rollout(const EvaluationWatch& watch_survey);
  // Returns nothing if the curriculum wants the agent not to learn from the rollout.
  std::optional<learn::PpoStats> update_agent();
  // Logs, evaluates and saves when due.
  void record(const std::optional<learn::PpoStats>& stats);
  // Whether some rank wants to stop. Throws if the states of the ranks differ.
  bool agree_to_stop(const std::function<bool()>& should_stop);
  // Makes the final evaluation, which may take long. A stopped one starts over on resume.
  void finish(const Watch& watch);
  void save();
  Progress progress() const;

  bool is_saved() const { return saved_update_ == update; }
  double seconds() const {
    return collect::Seconds(std::chrono::steady_clock::now() - started_).count();
  }

  TrainConfig config;
  RankShare share;
  Streams streams;
  at::Device device;
  std::shared_ptr<LevelStore> store = std::make_shared<LevelStore>();
  std::unique_ptr<VectorEnv> env;
  std::unique_ptr<VectorEnv> eval_env;
  std::unique_ptr<VectorEnv> test_env;  // null: eval_env
  LevelSet levels;
  RunCurriculum curriculum;
  std::unique_ptr<learn::Backend> backend;
  EpisodeScorer scorer;
  RewardNormalizer normalizer;
  learn::Rollout rollout;
  learn::Regularizers regularizers;
  learn::Ppo ppo;
  std::unique_ptr<collect::Inference> inference;
  distributed::RankLog log;
  collect::Collector collector;
  RunRecorder recorder;
  std::optional<PlannedRollouts> planned;  // if the curriculum decides per rollout
  std::filesystem::path folder;
  std::optional<run::RunFiles> files;  // of rank 0

  std::int64_t update = 0;
  std::int64_t gradient_updates = 0;                     // of these, the agent has learned from
  bool is_final = false;                                 // the final evaluation is done
  std::int64_t resumed_version = run::kBehaviorVersion;  // of the checkpoint, if resumed
  std::vector<std::string> setting_notes;                // of a resumed run
  collect::Seconds learning{};

 private:
  std::size_t num_slots() const { return static_cast<std::size_t>(config.env.num_slots); }
  std::size_t rollout_length() const {
    return static_cast<std::size_t>(config.schedule.rollout_length);
  }
  std::int64_t steps() const { return update * steps_per_update(config); }
  CheckpointParts checkpoint_parts() {
    return {curriculum.any(),
            curriculum.per_rollout ? store.get() : nullptr,
            scorer,
            normalizer,
            regularizers,
            collector,
            ppo,
            rollout,
            share};
  }
  // Writes files last, so that a failure leaves nothing, and config.toml after all others, so that
  // a folder that has one can be resumed.
  void begin_folder(const run::Checkpoint& checkpoint, Locking locking);
  // The checkpoint of this update, with the slots of all ranks.
  run::Checkpoint compose();
  // Writes it, and what belongs to it.
  void write(run::Checkpoint checkpoint);
  void update_normalizer();
  // The success rates of levels; nothing if it was stopped.
  std::optional<std::vector<double>> survey_levels(std::span<const LevelId> asked,
                                                   const EvaluationWatch& watch);
  // Every setting, for TensorBoard.
  std::vector<run::Setting> settings() const;
  // False if it was stopped; then nothing is recorded.
  bool evaluate(std::int64_t num_episodes, bool is_last, const EvaluationWatch& watch);

  std::unique_ptr<VectorEnv> survey_env_;  // made when it is needed first
  std::int64_t first_update_ = 0;          // of this process
  std::int64_t saved_update_ = -1;
  std::optional<double> test_return_;
  std::optional<double> test_success_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace plr::train

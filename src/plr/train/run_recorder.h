// Composes the records of a run (run/records.h) from its parts: log, evaluations, levels.
//
//   RunRecorder recorder({streams, *env, *eval_env, nullptr, store, levels, *curriculum, ...});
//   files.append(recorder.log_record(progress, stats));
//   if (const auto record = recorder.evaluate(progress, 64, false, {})) files.append(*record);
//
// Nothing is written here; RunFiles does that. Not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/collector.h"
#include "plr/core/curriculum.h"
#include "plr/core/level.h"
#include "plr/core/level_store.h"
#include "plr/core/reward_normalizer.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"
#include "plr/learn/ppo.h"
#include "plr/learn/regularizers.h"
#include "plr/run/records.h"
#include "plr/run/tensorboard.h"
#include "plr/train/evaluator.h"
#include "plr/train/level_summary.h"
#include "plr/train/progress.h"
#include "plr/train/rank_share.h"

namespace plr::train {

// REQUIRES: all of them outlive the recorder.
struct RecorderParts {
  const Streams& streams;
  const VectorEnv& env;
  VectorEnv& eval_env;  // as env; used by the recorder only, like the next one
  VectorEnv* test_env;  // another environment for test levels; null: eval_env
  const LevelStore& store;
  const LevelSet& levels;
  const CurriculumBase& curriculum;
  const RewardNormalizer& normalizer;
  learn::Backend& backend;
  const learn::Regularizers& regularizers;
  const collect::Collector& collector;
  const RankShare& share;
};

class RunRecorder {
 public:
  explicit RunRecorder(const RecorderParts& parts);
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  // `stats` is nothing if the agent did not learn from the rollout.
  run::LogRecord log_record(const Progress& progress,
                            const std::optional<learn::PpoStats>& stats) const;

  run::LevelsRecord levels_record(const Progress& progress);
  // The most probable levels, for TensorBoard. Nothing if all are equally probable,
  // or if the environment has no pictures.
  std::optional<run::Picture> level_picture();
  std::vector<run::LevelRow> level_table();

  // Plays episodes on test levels and as many on training levels, drawn from streams of this
  // update; of a test environment with fixed levels, all equally often. The final evaluation lists
  // the return of every test episode: the worst levels are studied for the final agent only.
  // Returns nothing if it was stopped.
  std::optional<run::EvalRecord> evaluate(const Progress& progress, std::int64_t num_episodes,
                                          bool is_final, const EvaluationWatch& watch);

 private:
  RecorderParts parts_;
  Evaluator evaluator_;
  std::optional<Evaluator> test_evaluator_;  // on test_env, if there is one
  LevelSummary level_summary_;
};

}  // namespace plr::train

// The parts of a run whose state a checkpoint holds (run/checkpoint.h).
//
//   run::Checkpoint checkpoint = compose_checkpoint(parts);
//   restore_checkpoint(checkpoint, parts, "runs/a");
//
// Together they decide the rest of a run: weights, optimizer moments, curriculum, reward
// statistics, random streams, running episodes and their scores so far. Not thread-safe.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plr/collect/collector.h"
#include "plr/core/curriculum.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_store.h"
#include "plr/core/reward_normalizer.h"
#include "plr/env/vector_env.h"
#include "plr/learn/ppo.h"
#include "plr/learn/regularizers.h"
#include "plr/learn/rollout.h"
#include "plr/run/checkpoint.h"
#include "plr/train/rank_share.h"

namespace plr::train {

// The name of the level store's state in a checkpoint.
inline constexpr const char* kLevelStoreState = "level_store";

struct CheckpointParts {
  CurriculumBase& curriculum;
  LevelStore* store;  // null if levels are never stored
  EpisodeScorer& scorer;
  RewardNormalizer& normalizer;
  learn::Regularizers& regularizers;
  collect::Collector& collector;
  learn::Ppo& ppo;
  learn::Rollout& rollout;  // the state of a recurrent network
  const RankShare& share;
};

// States and tensors; `update` and `facts` are left to the caller. Called by all ranks, whose slots
// it gathers.
run::Checkpoint compose_checkpoint(const CheckpointParts& parts);

// Throws std::runtime_error if a state is missing, damaged or of another configuration; some parts
// may have changed then. `folder` names the run in the message.
void restore_checkpoint(const run::Checkpoint& checkpoint, const CheckpointParts& parts,
                        const std::filesystem::path& folder);

// The spaces of an environment, for CheckpointFacts; infinite bounds are null in a file.
//
//   {"observation_shape": [1, 1, 3], "observation_type": "float",
//    "actions": {"kind": "continuous", "counts": [], "low": [-2], "high": [2]}}
nlohmann::json spaces_to_json(const EnvSpec& spec);

}  // namespace plr::train

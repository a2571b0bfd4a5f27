// The environment that evaluations test on, if it is not that of training (TaskConfig::test_env).
//
//   const std::unique_ptr<VectorEnv> test = make_test_env(config, share, env->spec());
//   const Evaluation evaluation = Evaluator(*test, *backend).play(levels, false, stream);
//   record.test_levels = by_level(*test, evaluation);
//
// The functions are thread-safe.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "plr/env/vector_env.h"
#include "plr/run/records.h"
#include "plr/train/config.h"
#include "plr/train/evaluator.h"
#include "plr/train/rank_share.h"

namespace plr::train {

// Null if `test_env` is empty or names the environment of training. Throws std::invalid_argument if
// the network that is trained in an environment of `trained` cannot act in it, or if it is the
// environment of training and its fixed levels are trained on.
std::unique_ptr<VectorEnv> make_test_env(const TrainConfig& config, const RankShare& share,
                                         const EnvSpec& trained);

// Throws std::invalid_argument, which begins with `field`, if a network for the environment
// `trained` cannot act in `other`: observations and actions must be the same.
void check_same_interface(std::string_view field, const EnvSpec& trained, const EnvSpec& other);

// The results on each of an environment's fixed levels that was played; empty if its levels are
// generated. A level without a name is "level 3".
std::vector<run::TestLevel> by_level(const VectorEnv& env, const Evaluation& evaluation);

// Makes the paths in the names of both environments absolute (catalog::absolute_env_name).
void make_env_names_absolute(TaskConfig& task);

}  // namespace plr::train

// The evaluation behind the conditional value at risk of success rates (Rutherford et al. 2024): a
// policy plays many solvable levels twice, with different random numbers.
//
//   const std::vector<LevelId> levels = solvable_levels(env_name, options, 10'000);
//   const std::vector<run::CvarRow> rows = play_twice(*env, *backend, levels, {}, streams);
//   report::cvar(rows, 0.01);                      // report/cvar.h
//
// A level is played in ten copies for the steps of one episode, again after every end (survey.h).
// The functions are thread-safe if no two use the same environment or backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"
#include "plr/run/records.h"
#include "plr/train/evaluator.h"

namespace plr::train {

// The first `count` seeds of an environment whose levels have a solution within its step limit.
// Throws std::invalid_argument if the environment cannot solve its levels, or if fewer than one of
// 1,000 has a solution.
std::vector<LevelId> solvable_levels(std::string_view env, const EnvOptions& options,
                                     std::size_t count);

inline constexpr std::int64_t kCvarCopies = 10;  // slots that play a level in each evaluation

// Plays each level in kCvarCopies slots for env.spec().max_steps steps, twice. One row per level,
// in their order; empty if it was stopped. The random streams are "cvar/a" and "cvar/b".
// `num_workers` as in SurveyOptions.
std::vector<run::CvarRow> play_twice(VectorEnv& env, learn::Backend& backend,
                                     std::span<const LevelId> levels, const EvaluationWatch& watch,
                                     const Streams& streams, int num_workers = 0);

}  // namespace plr::train

// The levels that a run trains on, and levels for evaluation.
//
//   const LevelSet training = training_levels("100-299", env->spec());
//   const std::vector<LevelId> test = test_levels(env->spec(), training, 100, stream);
//
// A text is a number of levels ("200": the ids 0..199), a range ("100-299"), "full" for the whole
// distribution, or the name of a file with one id per line. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"

namespace plr::train {

// The text, with an absolute path if it names a file, so that a run can be resumed from any working
// directory. Throws like training_levels, without the checks that need the environment.
std::string checked_levels(const std::string& text);

// Throws std::invalid_argument naming the text, or the line of the file, that is invalid.
LevelSet training_levels(const std::string& text, const EnvSpec& env);

// Throws std::invalid_argument if a finite training set has all levels of the full distribution.
void check_test_levels(const EnvSpec& env, const LevelSet& training);

// Drawn from the full distribution, without levels of a finite training set. A level may occur more
// than once. Throws like check_test_levels.
std::vector<LevelId> test_levels(const EnvSpec& env, const LevelSet& training, std::size_t count,
                                 Random& random);

// Levels of an environment that is not trained on. Of fixed levels every one is played equally
// often: element i is level i % num_fixed_levels. Otherwise they are drawn from the full
// distribution.
std::vector<LevelId> evaluation_levels(const EnvSpec& env, std::size_t count, Random& random);

// Drawn uniformly from a set. A level may occur more than once.
std::vector<LevelId> sample_levels(const LevelSet& set, std::size_t count, Random& random);

}  // namespace plr::train

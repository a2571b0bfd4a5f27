// Which levels does a run train on, and which does it keep for the test?
//
//   const LevelSet training = training_levels("100-299", env->spec());
//   const std::vector<LevelId> test = test_levels(env->spec(), training, 100, stream);
//
// A text may be a number of levels ("200": the ids 0..199), a range ("100-299"), "full" for the
// whole distribution, or the name of a file with one id per line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"

namespace plr::train {

// The text, with the whole path where it names a file, so that a run finds it from anywhere. Throws
// as training_levels does, as far as that can be told without the environment.
std::string checked_levels(const std::string& text);

// Throws std::invalid_argument naming what is wrong with the text or the file's line.
LevelSet training_levels(const std::string& text, const EnvSpec& env);

// Drawn from the full distribution; none of a finite training set.  The same level may come twice.
std::vector<LevelId> test_levels(const EnvSpec& env, const LevelSet& training, std::size_t count,
                                 Random& random);

// Drawn from the training set, each level equally likely.
std::vector<LevelId> levels_of(const LevelSet& training, std::size_t count, Random& random);

}  // namespace plr::train

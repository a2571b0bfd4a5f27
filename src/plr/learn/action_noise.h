// The random numbers from which an action is sampled.
//
//   std::vector<double> noise(space.size());
//   action_noise(space, item.uniform, noise);      // collect/inference_types.h
//   distribution.sample(...);                      // action_distribution.h
//
// One uniform number of the run's stream determines the numbers of all words: a discrete action
// uses it as it is, other spaces use a generator that it seeds.  Uniform in [0, 1) for choices,
// standard normal for floats.  The numbers have the same bits on every machine.  Thread-safe.
#pragma once

#include <span>

#include "plr/env/spaces.h"

namespace plr::learn {

// REQUIRES: noise has space.size() elements.
void action_noise(const ActionSpace& space, double uniform, std::span<double> noise);

}  // namespace plr::learn

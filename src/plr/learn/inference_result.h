// The result of inference for one observation: an action with its log-probability and value.
//
// No dependencies, usable in device code.
#pragma once

namespace plr::learn {

// Four floats, as kernels and libtorch write them: an action is small enough to be exact.
struct alignas(16) InferenceResult {
  float action;
  float log_prob;  // of the action
  float value;
  float term;  // policy_term() of core/episode_scorer.h; 0 if the score function needs none
};

}  // namespace plr::learn

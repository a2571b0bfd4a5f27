// Input and result of inference for one observation.
//
// No dependencies, usable in device code.  Plain structs: copyable, without synchronization.
#pragma once

#include <cstdint>

namespace plr::collect {

// An observation of which inference is to be computed: of a slot, before a step of the rollout.
struct alignas(16) InferenceItem {
  std::int32_t slot;
  std::int32_t step : 30;
  std::uint32_t begins_episode : 1;  // a recurrent network's state is zero before this observation
  std::uint32_t value_only : 1;      // the state is not updated: the observation is submitted again
  double uniform;                    // in [0, 1); determines the action
};

// Four floats, as kernels and libtorch write them: an action is small enough to be exact.
struct alignas(16) InferenceResult {
  float action;    // of a discrete space, else 0 (Inference::wide_actions)
  float log_prob;  // of the action
  float value;
  float term;  // policy_term() of core/episode_scorer.h; 0 if the score function needs none
};

}  // namespace plr::collect

// How a backend's inference samples actions; see collect/inference.h for its interface.
//
//   const std::unique_ptr<collect::Inference> inference =
//       backend.make_inference({.score_function = ScoreFunction::kMinMargin}, num_slots,
//                              rollout.tensors());
//
// A plain struct: copyable, without synchronization.
#pragma once

#include <cstddef>

#include "plr/collect/inference.h"
#include "plr/core/episode_scorer.h"

namespace plr::learn {

struct PolicyConfig {
  // A score function of the policy itself needs a term of each step, which is computed too.
  ScoreFunction score_function = ScoreFunction::kValueL1;
  bool greedy = false;  // take the most probable action instead of sampling one
  // Inference that cannot take any batch computes the slots in this many batches of equal size.
  std::size_t num_groups = 1;
};

}  // namespace plr::learn

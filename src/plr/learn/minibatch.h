// The tensors of a PPO update: a whole rollout on the device, and one mini-batch of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "plr/learn/columns.h"
#include "plr/learn/network.h"

namespace plr::learn {

// What all S mini-batches of an update work on, on the network's device.  Addresses stay the same
// from update to update, since CUDA graphs refer to them.
struct UpdateTensors {
  at::Tensor obs;                    // [(T+1) * N, H, W, C] bytes or floats, the rollout's
  at::Tensor samples;                // [T * N, SampleColumn::kCount] floats
  at::Tensor wide_actions;           // [T * N, W] floats if the space is not discrete
  at::Tensor permutations;           // [S, B] int64: the samples of each mini-batch
  at::Tensor position;               // [1] int64: the mini-batch that comes next
  std::int64_t sequence_length = 1;  // T if the network is recurrent: a row has whole sequences
  at::Tensor first_state;            // [N, state_size] of a recurrent network, else undefined
  at::Tensor resets;                 // [T * N] floats, likewise: 1 where an episode begins
  at::Tensor losses;                 // [S, LossColumn::kCount] floats: one row per mini-batch
  at::Tensor broken;                 // [] float: 1 from the first mini-batch that is not finite
};

// The samples of one gradient step, on the network's device.
struct Minibatch {
  at::Tensor obs;              // [B, H, W, C] bytes or floats
  at::Tensor actions;          // [B] int64; of another space as in action_distribution.h
  at::Tensor old_log_probs;    // [B], this and what follows floats
  at::Tensor old_values;       // [B]
  at::Tensor advantages;       // [B], normalized
  at::Tensor returns;          // [B]
  Recurrence recurrence = {};  // of a recurrent network
};

}  // namespace plr::learn

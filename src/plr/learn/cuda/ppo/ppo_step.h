// Kernels around the network in a PPO update: three instead of libtorch's eighty or so.
//
//   gather        the samples of the next mini-batch, observations included, from a whole rollout
//   ppo_loss      PPO's loss, its statistics, and its gradients at the network's outputs
//   store_losses  copies the losses into a table and advances to the next mini-batch
//
// Sums are taken in a fixed order, so that results are deterministic.  Needs compute capability 8.0
// or later.
#pragma once

#include <cstdint>

#include "plr/learn/columns.h"

namespace plr::cuda {

using learn::LossColumn;
using learn::SampleColumn;

// Sums over the mini-batch that the loss kernel takes, in the order in which blocks write them.
struct LossSum {
  enum Index : int { kValueLoss, kPolicyLoss, kEntropy, kClipped, kKl, kCount };
};

struct GatherJob {
  const std::uint8_t* obs = nullptr;           // [samples, obs_bytes]
  const float* samples = nullptr;              // [samples, SampleColumn::kCount]
  const std::int64_t* permutations = nullptr;  // [mini-batches, batch]: sample indices
  const std::int64_t* position = nullptr;      // [1]: index of the mini-batch
  std::int64_t obs_bytes = 0;
  int batch = 0;
  std::uint8_t* out_obs = nullptr;      // [batch, obs_bytes]
  std::int64_t* out_actions = nullptr;  // [batch]
  float* out_columns = nullptr;         // [SampleColumn::kCount - 1, batch]
};

struct LossJob {
  const float* logits = nullptr;  // [batch, num_actions]
  const float* values = nullptr;  // [batch], as are the next five
  const std::int64_t* actions = nullptr;
  const float* old_log_probs = nullptr;
  const float* old_values = nullptr;
  const float* advantages = nullptr;
  const float* returns = nullptr;
  const float* extra = nullptr;  // [1], added to the loss; may be null
  int batch = 0;
  int num_actions = 0;
  float clip = 0;
  bool clip_value_loss = true;
  float value_coef = 0;
  float entropy_coef = 0;
  float* partial_sums = nullptr;    // [loss_blocks(batch), LossSum::kCount]
  unsigned* blocks_done = nullptr;  // [1], zero before the first use
  float* logits_grad = nullptr;     // [batch, num_actions]
  float* values_grad = nullptr;     // [batch]
  float* losses = nullptr;          // [LossColumn::kCount], without the gradient norm
};

// Thread blocks of ppo_loss(), each of which writes one row of partial_sums.
int loss_blocks(int batch);

// Each enqueues its kernel; `stream` is a cudaStream_t.  They throw std::runtime_error on a CUDA
// error.
void gather(const GatherJob& job, void* stream);
void ppo_loss(const LossJob& job, void* stream);
void store_losses(const float* losses, float* table, std::int64_t* position, void* stream);

}  // namespace plr::cuda

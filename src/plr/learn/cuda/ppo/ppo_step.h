// What is around the network in a step of PPO?
//
// Three kernels where libtorch orders some eighty:
//
//   gather   the samples of the next mini-batch, observations included, from a whole rollout
//   loss     PPO's loss, what it says of itself, and its gradient at the network's outputs
//   note     puts the losses into a table and moves to the next mini-batch
//
// Sums are taken in one fixed order: the same bits every time.
#pragma once

#include <cstdint>

namespace plr::cuda {

inline constexpr int kSampleColumns = 5;  // action, log-probability, value, advantage, return
inline constexpr int kNumLosses = 8;      // fields of PpoLosses

struct GatherJob {
  const std::uint8_t* obs = nullptr;       // [samples, obs_bytes]
  const float* samples = nullptr;          // [samples, kSampleColumns]
  const std::int64_t* orders = nullptr;    // [mini-batches, batch]: samples
  const std::int64_t* position = nullptr;  // [1]: the mini-batch
  std::int64_t obs_bytes = 0;
  int batch = 0;
  std::uint8_t* out_obs = nullptr;      // [batch, obs_bytes]
  std::int64_t* out_actions = nullptr;  // [batch]
  float* out_columns = nullptr;         // [kSampleColumns - 1, batch]
};

struct LossJob {
  const float* logits = nullptr;  // [batch, num_actions]
  const float* values = nullptr;  // [batch], this and what follows
  const std::int64_t* actions = nullptr;
  const float* old_log_probs = nullptr;
  const float* old_values = nullptr;
  const float* advantages = nullptr;
  const float* returns = nullptr;
  const float* extra = nullptr;  // [1], added to the loss; may be missing
  int batch = 0;
  int num_actions = 0;
  float clip = 0;
  bool clip_value_loss = true;
  float value_coef = 0;
  float entropy_coef = 0;
  float* partial_sums = nullptr;  // [loss_blocks(batch), 5]
  unsigned* num_done = nullptr;   // [1], zero before the first use
  float* d_logits = nullptr;      // [batch, num_actions]
  float* d_values = nullptr;      // [batch]
  float* losses = nullptr;        // [kNumLosses], the gradient's norm left out
};

int loss_blocks(int batch);

// Each orders its kernel; `stream` is a cudaStream_t.  They throw std::runtime_error if CUDA
// refuses.
void gather(const GatherJob& job, void* stream);
void ppo_loss(const LossJob& job, void* stream);
void note(const float* losses, float* table, std::int64_t* position, void* stream);

}  // namespace plr::cuda

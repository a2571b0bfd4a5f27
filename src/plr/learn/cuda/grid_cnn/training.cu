#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/grid_cnn/training.h"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda {

bool can_learn(const MinigridShape& shape, int obs_channels, int shared_memory) {
  if (obs_channels != kIn || (shape.channels != 32 && shape.channels != 64)) return false;
  if (shape.height > kMaxSide || shape.width > kMaxSide) return false;
  return shape.num_actions <= 32 && shared_memory >= std::max(look_back_bytes(shape), kBlockBytes);
}

std::int64_t minigrid_saved_bytes(const MinigridShape& shape, int batch) {
  return MinigridSaved(shape, batch, nullptr).bytes;
}

std::int64_t minigrid_scratch_bytes(const MinigridShape& shape, int batch) {
  return MinigridScratchpad(shape, batch, nullptr).bytes;
}

void minigrid_forward(const MinigridPass& pass, float* logits, float* value, void* stream) {
  const MinigridSaved saved(pass.shape, pass.batch, pass.saved);
  minigrid_pack(pass, saved, stream);
  minigrid_see(pass, saved, stream);
  minigrid_hidden(pass, saved, stream);
  minigrid_heads(pass, saved, logits, value, stream);
  check(cudaGetLastError(), "MiniGrid's forward pass");
}

void minigrid_backward(const MinigridPass& pass, const float* logits_grad, const float* value_grad,
                       void* scratch, const MinigridGradients& grads, void* stream) {
  const MinigridSaved saved(pass.shape, pass.batch, pass.saved);
  const MinigridScratchpad pad(pass.shape, pass.batch, scratch);
  minigrid_heads_back(pass, saved, logits_grad, value_grad, pad, stream);
  minigrid_hidden_back(pass, saved, pad, stream);
  const int num_conv_parts = minigrid_look_back(pass, saved, pad, stream);
  minigrid_add_up(pass, pad, num_conv_parts, grads, stream);
  check(cudaGetLastError(), "MiniGrid's backward pass");
}

}  // namespace plr::cuda

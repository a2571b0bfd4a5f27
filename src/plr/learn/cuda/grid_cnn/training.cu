// Forward and backward pass of the grid CNN as sequences of kernel launches; no kernels of its own.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/grid_cnn/kernels.h"
#include "plr/learn/cuda/grid_cnn/training.h"

namespace plr::cuda::grid_cnn {

bool can_train(const Shape& shape, int obs_channels, int shared_memory) {
  if (obs_channels != kObsChannels || (shape.channels != 32 && shape.channels != 64)) return false;
  if (shape.height > kMaxSide || shape.width > kMaxSide) return false;
  return shape.num_actions <= 32 &&
         shared_memory >= std::max(conv_backward_smem_bytes(shape), kBlockBytes);
}

std::int64_t saved_bytes(const Shape& shape, int batch) {
  return SavedActivations(shape, batch, nullptr).bytes;
}

std::int64_t scratch_bytes(const Shape& shape, int batch) {
  return BackwardScratch(shape, batch, nullptr).bytes;
}

void forward(const TrainPass& pass, float* logits, float* value, void* stream) {
  const SavedActivations saved(pass.shape, pass.batch, pass.saved);
  launch_pack_weights(pass, saved, stream);
  launch_conv_forward(pass, saved, stream);
  launch_hidden_forward(pass, saved, stream);
  launch_heads_forward(pass, saved, logits, value, stream);
  check(cudaGetLastError(), "forward pass of the grid CNN");
}

void backward(const TrainPass& pass, const float* logits_grad, const float* value_grad,
              void* scratch_memory, const Gradients& grads, void* stream) {
  const SavedActivations saved(pass.shape, pass.batch, pass.saved);
  const BackwardScratch scratch(pass.shape, pass.batch, scratch_memory);
  launch_heads_backward(pass, saved, logits_grad, value_grad, scratch, stream);
  launch_hidden_backward(pass, saved, scratch, stream);
  const int num_conv_partials = launch_conv_backward(pass, saved, scratch, stream);
  launch_reduce_partials(pass, scratch, num_conv_partials, grads, stream);
  check(cudaGetLastError(), "backward pass of the grid CNN");
}

}  // namespace plr::cuda::grid_cnn

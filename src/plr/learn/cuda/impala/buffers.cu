// Layout of the training buffers; no kernels of its own.

#include "plr/learn/cuda/common/arena.h"
#include "plr/learn/cuda/impala/buffers.h"

namespace plr::cuda::impala {
namespace {

TrainBuffers allocate(std::int64_t batch, Arena& arena) {
  TrainBuffers buffers;
  for (int l = 0; l < kNumLayers; ++l) {
    const int side = layer_side(l);
    const int stage = l / kLayersPerStage;
    if (l != kStage1) {
      buffers.inputs[l] = arena.allocate<std::uint16_t>(batch * side * side * layer_inputs(l));
    }
    const int grad_side = l == kStage1 ? side / 2 : side;
    buffers.output_grads[l] =
        arena.allocate<std::uint16_t>(batch * grad_side * grad_side * layer_outputs(l));
    if (!is_before_pool(l)) {
      buffers.relu_masks[l] = arena.allocate<std::uint8_t>(batch * kTrainThreads * (4 >> stage));
    }
    buffers.weight_grad_partials[l] = arena.allocate<float>(
        static_cast<std::int64_t>(weight_grad_blocks(l)) * weight_grad_size(l));
  }
  for (int pool = 0; pool < kNumPools; ++pool) {
    const int side = 32 >> pool;
    buffers.pool_argmax[pool] = arena.allocate<std::uint32_t>(
        batch * side * side * layer_outputs(kLayersPerStage * pool) / 8);
  }
  buffers.packed_weights = arena.allocate<std::uint32_t>(kPackedBytes / 4);
  buffers.mirrored_weights = arena.allocate<std::uint32_t>(kPackedBytes / 4);
  buffers.biases = arena.allocate<float>(kNumLayers * kBiasStride);
  return buffers;
}

}  // namespace

std::int64_t train_buffer_bytes(int batch) {
  Arena arena(nullptr);
  allocate(batch, arena);
  return arena.bytes();
}

TrainBuffers make_train_buffers(void* memory, int batch) {
  Arena arena(memory);
  return allocate(batch, arena);
}

}  // namespace plr::cuda::impala

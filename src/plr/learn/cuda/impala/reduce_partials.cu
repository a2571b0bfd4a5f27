// Reduces the partial sums of all weight gradients of the IMPALA network's convolutions and adds
// them to the gradients.
//
// Grid: one thread block per 32 numbers, layers one after another; block: 256 threads, 8 warps; 1
// KB of shared memory. Ownership: a thread block owns 32 numbers, a lane one of them; each warp
// sums every eighth partial sum, and warp 0 adds the warps' sums and writes the result.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/reduce_partials.cuh"
#include "plr/learn/cuda/impala/kernels.h"

namespace plr::cuda::impala {
namespace {

constexpr int total_weight_grad_size() {
  int size = 0;
  for (int l = 0; l < kNumLayers; ++l) size += weight_grad_size(l);
  return size;
}

__global__ void __launch_bounds__(kReduceThreads)
    reduce_all_partials(const __grid_constant__ TrainBuffers buffers,
                        const __grid_constant__ Gradients grads) {
  const int thread = static_cast<int>(threadIdx.x);
  int i = static_cast<int>(blockIdx.x) * kReduceWidth + thread % kReduceWidth;
  int layer = 0;
  while (layer < kNumLayers && i >= weight_grad_size(layer)) i -= weight_grad_size(layer++);
  const bool is_inside = layer < kNumLayers;
  const float* partials = is_inside ? buffers.weight_grad_partials[layer] + i : nullptr;
  const float sum = reduce_partials<SliceOrder::kInterleaved>(partials, weight_grad_size(layer),
                                                              weight_grad_blocks(layer), is_inside);
  if (thread >= kReduceWidth || !is_inside) return;

  // From [tap][input][output] to [output][tap][input].
  const int inputs = layer_inputs(layer);
  const int output = i % layer_outputs(layer);
  const int row = i / layer_outputs(layer);
  float* weights = grads.conv[layer] + output * 9 * inputs;
  if (row == weight_grad_rows(layer)) {
    grads.conv_bias[layer][output] += sum;
  } else if (layer != kStage1) {
    weights[row] += sum;
  } else if (row % 4 < 3 && row % 16 < 12) {  // three of four channels, and of four taps of a row
    // pack_weights() divides the first layer's weights by 255 instead of the image.
    weights[(row / 16 * 3 + row % 16 / 4) * 3 + row % 4] += sum / 255.0F;
  }
}

}  // namespace

void launch_reduce_partials(const TrainBuffers& buffers, const Gradients& grads,
                            cudaStream_t stream) {
  constexpr int kBlocks = (total_weight_grad_size() + kReduceWidth - 1) / kReduceWidth;
  reduce_all_partials<<<kBlocks, kReduceThreads, 0, stream>>>(buffers, grads);
  check(cudaGetLastError(), "reducing weight gradients");
}

}  // namespace plr::cuda::impala

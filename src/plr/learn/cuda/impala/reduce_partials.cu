#include <cuda_runtime.h>

#include "plr/learn/cuda/impala/kernels.h"

namespace plr::cuda::impala {
namespace {

constexpr int kColumns = 32;  // numbers of a block
constexpr int kRows = 8;      // threads that share a number, each with every eighth part

PLR_BOTH constexpr int first_sum(int layer) {
  int first = 0;
  for (int l = 0; l < layer; ++l) first += sum_size(l);
  return first;
}

// Always in the same order: every eighth part, then the eight sums.
__global__ void __launch_bounds__(kColumns* kRows)
    add(const __grid_constant__ TrainBuffers tape, const __grid_constant__ Gradients grads) {
  __shared__ float shared[kRows][kColumns];
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  int at = static_cast<int>(blockIdx.x) * kColumns + column;
  int layer = 0;
  while (layer < kNumLayers && at >= sum_size(layer)) at -= sum_size(layer++);
  const bool is_there = layer < kNumLayers;
  float sum = 0;
  if (is_there) {
    const float* parts = tape.parts[layer] + at;
#pragma unroll 4
    for (int b = row; b < sum_blocks(layer); b += kRows) sum += parts[b * sum_size(layer)];
  }
  shared[row][column] = sum;
  __syncthreads();
  if (row != 0 || !is_there) return;
#pragma unroll
  for (int r = 1; r < kRows; ++r) sum += shared[r][column];

  const int inputs = layer_inputs(layer);
  const int output = at % layer_outputs(layer);
  const int m = at / layer_outputs(layer);
  float* weights = grads.conv[layer] + output * 9 * inputs;
  if (m == sum_rows(layer)) {
    grads.conv_bias[layer][output] += sum;
  } else if (layer > 0) {
    weights[m] += sum;
  } else if (m % 4 < 3 && m % 16 < 12) {  // of four channels and four places a row, three
    // The image was divided by 255 in the weights.
    weights[(m / 16 * 3 + m % 16 / 4) * 3 + m % 4] += sum / 255.0F;
  }
}

}  // namespace

void order_add(const TrainBuffers& tape, const Gradients& grads, cudaStream_t stream) {
  constexpr int kBlocks = (first_sum(kNumLayers) + kColumns - 1) / kColumns;
  add<<<kBlocks, dim3(kColumns, kRows), 0, stream>>>(tape, grads);
  check(cudaGetLastError(), "adding gradients");
}

}  // namespace plr::cuda::impala

// Copies all weights of the recurrent network in the layout of inference, those of the gates split
// (split_half.cuh).
//
// Grid: a thread block of 256 threads per thread block of a cluster; no shared memory.  Each writes
// its copy of the convolution, the direction, the biases and the outputs, and its share of the
// gates and the heads' hidden layers.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/split_half.cuh"
#include "plr/learn/cuda/lstm/inference.h"
#include "plr/learn/cuda/lstm/inference_layout.cuh"

namespace plr::cuda::lstm {
namespace {

constexpr int kThreads = 256;

__device__ void copy(const float* from, int count, std::uint8_t* to) {
  auto* floats = reinterpret_cast<float*>(to);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) floats[i] = from[i];
}

__global__ void __launch_bounds__(kThreads)
    pack(const InferenceLayout layout, const Weights w, int num_units, std::uint8_t* packed) {
  const int rank = static_cast<int>(blockIdx.x);
  std::uint8_t* to = packed + static_cast<std::int64_t>(rank) * layout.weights_end;
  copy(w.conv, kFilters * kTaps, to + layout.conv);
  copy(w.conv_bias, kFilters, to + layout.conv_bias);
  if (layout.directions > 0) {
    copy(w.direction, kDirectionUnits * layout.directions, to + layout.direction);
    copy(w.direction_bias, kDirectionUnits, to + layout.direction_bias);
  }
  auto* heads = reinterpret_cast<float*>(to + layout.head_hidden);
  for (int i = static_cast<int>(threadIdx.x); i < kInferenceUnits * kHeads; i += kThreads) {
    const int head = i % kHeads;
    const float* weight = head < kHeadUnits ? w.policy_hidden + head * num_units
                                            : w.value_hidden + (head - kHeadUnits) * num_units;
    heads[i] = weight[rank * kInferenceUnits + i / kHeads];
  }
  copy(w.policy_hidden_bias, kHeadUnits, to + layout.head_bias);
  copy(w.value_hidden_bias, kHeadUnits, to + layout.head_bias + kHeadUnits * 4);
  auto* outputs = reinterpret_cast<float*>(to + layout.outputs);
  for (int i = static_cast<int>(threadIdx.x); i < (layout.actions + 1) * kHeadUnits;
       i += kThreads) {
    const int output = i / kHeadUnits;
    const int k = i % kHeadUnits;
    outputs[output * kOutputPitch + k] = output < layout.actions ? w.policy[i] : w.value[k];
  }
  copy(w.policy_bias, layout.actions, to + layout.output_bias);
  copy(w.value_bias, 1, to + layout.output_bias + layout.actions * 4);

  const int quads = (num_units + layout.pitch) / 4;
  for (int i = static_cast<int>(threadIdx.x); i < kGateRows * quads; i += kThreads) {
    const int row = i / quads;
    const int quad = i - row * quads;
    const int gate = row % 16 / 4;
    const int unit = rank * kInferenceUnits + row / 16 * 4 + row % 4;
    const std::int64_t from = gate * num_units + unit;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int input = 4 * quad + k;
      const int feature = input - num_units;
      v[k] = feature < 0                      ? w.hidden[from * num_units + input]
             : feature < layout.num_features  ? w.input[from * layout.num_features + feature]
             : feature == layout.num_features ? w.input_bias[from]
                                              : 0.0F;
    }
    *reinterpret_cast<uint4*>(to + layout.gates + row * layout.gate_row + 16 * quad) =
        split_halves({v[0], v[1], v[2], v[3]});
  }
}

}  // namespace

std::int64_t packed_bytes(const Shape& shape) {
  return std::int64_t{shape.units / kInferenceUnits} * InferenceLayout(shape).weights_end;
}

void pack_weights(const Shape& shape, const Weights& weights, void* packed, void* stream) {
  const auto blocks = static_cast<unsigned>(shape.units / kInferenceUnits);
  pack<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      InferenceLayout(shape), weights, shape.units, static_cast<std::uint8_t*>(packed));
  check(cudaGetLastError(), "packing the weights of the recurrent network");
}

}  // namespace plr::cuda::lstm

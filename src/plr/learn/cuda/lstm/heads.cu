// Heads of the recurrent network, forward and backward.
//
// forward, backward: 256 threads; a thread block takes tiles of 32 samples with a stride of the
//   whole grid.  Shared memory: the weights of the outputs, the units of a tile after ReLU, and in
//   backward the gradients of its outputs.
//   In backward thread t has the sums of the gradients of weights t, t + 256, ... of the outputs,
//   and unit t % 64 of every fourth sample from t / 64 on.  The thread block writes its sums as a
//   row of partial sums.
// add_partials: 256 threads per 32 gradients reduce the rows in order.
// pack: a thread per element of the packed weights.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/reduce_partials.cuh"
#include "plr/learn/cuda/lstm/heads.h"
#include "plr/learn/cuda/lstm/numbers.cuh"

namespace plr::cuda::lstm {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 32;                  // samples
constexpr int kUnits = 2 * kHeadUnits;     // the policy's, then the value's
constexpr int kParts = kThreads / kUnits;  // of a tile's samples
constexpr int kMaxBlocks = 264;            // two per multiprocessor of a Hopper
constexpr int kMaxOutputs = kMaxActions + 1;
constexpr int kOutputPitch = kHeadUnits + 1;
constexpr int kThreadSums = (kMaxOutputs * kHeadUnits + kThreads - 1) / kThreads;

// The outputs' weights and all biases; the value is the last output.
struct HeadWeights {
  float output[kMaxOutputs * kOutputPitch];
  float output_bias[kMaxOutputs];
  float unit_bias[kUnits];

  __device__ void load(const Weights& w, int actions) {
    for (int i = static_cast<int>(threadIdx.x); i < (actions + 1) * kHeadUnits; i += kThreads) {
      const int o = i / kHeadUnits;
      const int k = i % kHeadUnits;
      output[o * kOutputPitch + k] = o < actions ? w.policy[i] : w.value[k];
    }
    for (int o = static_cast<int>(threadIdx.x); o <= actions; o += kThreads) {
      output_bias[o] = o < actions ? w.policy_bias[o] : w.value_bias[0];
    }
    for (int k = static_cast<int>(threadIdx.x); k < kUnits; k += kThreads) {
      unit_bias[k] = k < kHeadUnits ? w.policy_hidden_bias[k] : w.value_hidden_bias[k - kHeadUnits];
    }
  }
};

using Units = float[kTile][kUnits + 1];

// The units of a tile after ReLU.
template <class Io>
__device__ void load_units(const Io* products, int count, const float* bias, Units& units) {
  for (int i = static_cast<int>(threadIdx.x); i < count * kUnits; i += kThreads) {
    units[i / kUnits][i % kUnits] = fmaxf(to_float(products[i]) + bias[i % kUnits], 0.0F);
  }
}

template <class Io>
__global__ void __launch_bounds__(kThreads)
    forward(const Weights w, int actions, const Io* products, int rows, float* logits,
            float* values) {
  __shared__ HeadWeights weights;
  __shared__ Units units;
  weights.load(w, actions);
  for (int first = static_cast<int>(blockIdx.x) * kTile; first < rows;
       first += static_cast<int>(gridDim.x) * kTile) {
    const int count = min(kTile, rows - first);
    __syncthreads();
    load_units(products + static_cast<std::int64_t>(first) * kUnits, count, weights.unit_bias,
               units);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count * (actions + 1); i += kThreads) {
      const int row = i / (actions + 1);
      const int output = i - row * (actions + 1);
      const float* weight = weights.output + output * kOutputPitch;
      const float* unit = units[row] + (output < actions ? 0 : kHeadUnits);
      float sum = weights.output_bias[output];
#pragma unroll
      for (int k = 0; k < kHeadUnits; ++k) sum = fmaf(weight[k], unit[k], sum);
      const std::int64_t sample = first + row;
      *(output < actions ? logits + sample * actions + output : values + sample) = sum;
    }
  }
}

template <class Io>
__global__ void __launch_bounds__(kThreads)
    backward(const Weights w, int actions, const Io* products, int rows, const float* logits_grad,
             const float* values_grad, Io* products_grad, float* partials, int num_sums) {
  __shared__ HeadWeights weights;
  __shared__ Units units;
  __shared__ float output_grads[kTile][kMaxOutputs];
  __shared__ float part_sums[kParts][kUnits];
  const int thread = static_cast<int>(threadIdx.x);
  const int unit = thread % kUnits;
  const int part = thread / kUnits;
  const int outputs = actions + 1;
  weights.load(w, actions);
  float weight_sums[kThreadSums] = {};
  float unit_bias_sum = 0;
  float output_bias_sum = 0;
  for (int first = static_cast<int>(blockIdx.x) * kTile; first < rows;
       first += static_cast<int>(gridDim.x) * kTile) {
    const int count = min(kTile, rows - first);
    __syncthreads();
    load_units(products + static_cast<std::int64_t>(first) * kUnits, count, weights.unit_bias,
               units);
    for (int i = thread; i < count * outputs; i += kThreads) {
      const int row = i / outputs;
      const int output = i - row * outputs;
      const std::int64_t sample = first + row;
      output_grads[row][output] =
          output < actions ? logits_grad[sample * actions + output] : values_grad[sample];
    }
    __syncthreads();
    for (int row = part; row < count; row += kParts) {
      float grad = 0;
      if (units[row][unit] > 0) {
        if (unit < kHeadUnits) {
          for (int o = 0; o < actions; ++o) {
            grad = fmaf(output_grads[row][o], weights.output[o * kOutputPitch + unit], grad);
          }
        } else {
          grad = output_grads[row][actions] *
                 weights.output[actions * kOutputPitch + unit - kHeadUnits];
        }
      }
      unit_bias_sum += grad;
      store(products_grad + static_cast<std::int64_t>(first + row) * kUnits + unit, grad);
    }
#pragma unroll
    for (int n = 0; n < kThreadSums; ++n) {
      const int i = thread + n * kThreads;
      if (i >= outputs * kHeadUnits) break;
      const int output = i / kHeadUnits;
      const int k = i % kHeadUnits + (output < actions ? 0 : kHeadUnits);
      for (int row = 0; row < count; ++row) {
        weight_sums[n] = fmaf(output_grads[row][output], units[row][k], weight_sums[n]);
      }
    }
    if (thread < outputs) {
      for (int row = 0; row < count; ++row) output_bias_sum += output_grads[row][thread];
    }
  }
  float* out = partials + static_cast<std::int64_t>(blockIdx.x) * num_sums;
#pragma unroll
  for (int n = 0; n < kThreadSums; ++n) {
    const int i = thread + n * kThreads;
    if (i < outputs * kHeadUnits) out[i] = weight_sums[n];
  }
  out += outputs * kHeadUnits;
  if (thread < outputs) out[thread] = output_bias_sum;
  out += outputs;
  part_sums[part][unit] = unit_bias_sum;
  __syncthreads();
  if (part != 0) return;
  float sum = 0;
#pragma unroll
  for (int p = 0; p < kParts; ++p) sum += part_sums[p][unit];
  out[unit] = sum;
}

// Where the gradient of a sum is.
__device__ float* gradient_of(int i, int actions, const Gradients& g) {
  const int outputs = actions + 1;
  if (i < actions * kHeadUnits) return g.policy + i;
  if (i < outputs * kHeadUnits) return g.value + i - actions * kHeadUnits;
  i -= outputs * kHeadUnits;
  if (i < actions) return g.policy_bias + i;
  if (i == actions) return g.value_bias;
  i -= outputs;
  return i < kHeadUnits ? g.policy_hidden_bias + i : g.value_hidden_bias + i - kHeadUnits;
}

__global__ void __launch_bounds__(kReduceThreads)
    add_partials(const float* partials, int rows, int num_sums, int actions,
                 const Gradients gradients) {
  const int i =
      static_cast<int>(blockIdx.x) * kReduceWidth + static_cast<int>(threadIdx.x) % kReduceWidth;
  const bool is_inside = i < num_sums;
  const float sum =
      reduce_partials<SliceOrder::kContiguous>(partials + i, num_sums, rows, is_inside);
  if (static_cast<int>(threadIdx.x) >= kReduceWidth || !is_inside) return;
  *gradient_of(i, actions, gradients) += sum;
}

template <class Io>
__global__ void __launch_bounds__(kThreads) pack(const Weights w, int size, Io* packed) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i < size) store(packed + i, w.policy_hidden[i]);
  if (i < size) store(packed + size + i, w.value_hidden[i]);
}

}  // namespace

int heads_blocks(int rows) { return std::min((rows + kTile - 1) / kTile, kMaxBlocks); }

int heads_sums(const Shape& shape) { return (shape.actions + 1) * (kHeadUnits + 1) + kUnits; }

void pack_heads(const Shape& shape, Numbers numbers, const Weights& weights, void* packed,
                void* stream) {
  const int size = kHeadUnits * shape.units;
  const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
  const auto queue = static_cast<cudaStream_t>(stream);
  if (numbers == Numbers::kExact) {
    pack<<<blocks, kThreads, 0, queue>>>(weights, size, static_cast<Exact::Io*>(packed));
  } else {
    pack<<<blocks, kThreads, 0, queue>>>(weights, size, static_cast<Bf16::Io*>(packed));
  }
  check(cudaGetLastError(), "packing the heads' weights of the recurrent network");
}

void heads_forward(const HeadsPass& pass, float* logits, float* values, void* stream) {
  const auto blocks = static_cast<unsigned>(heads_blocks(pass.rows));
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto launch = [&]<class Io>(const Io* products) {
    forward<<<blocks, kThreads, 0, queue>>>(pass.weights, pass.shape.actions, products, pass.rows,
                                            logits, values);
  };
  if (pass.numbers == Numbers::kExact) {
    launch(static_cast<const Exact::Io*>(pass.products));
  } else {
    launch(static_cast<const Bf16::Io*>(pass.products));
  }
  check(cudaGetLastError(), "the heads of the recurrent network");
}

void heads_backward(const HeadsPass& pass, const float* logits_grad, const float* values_grad,
                    void* products_grad, float* partials, const Gradients& gradients,
                    void* stream) {
  const int blocks = heads_blocks(pass.rows);
  const int num_sums = heads_sums(pass.shape);
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto launch = [&]<class Io>(const Io* products) {
    backward<<<static_cast<unsigned>(blocks), kThreads, 0, queue>>>(
        pass.weights, pass.shape.actions, products, pass.rows, logits_grad, values_grad,
        static_cast<Io*>(products_grad), partials, num_sums);
  };
  if (pass.numbers == Numbers::kExact) {
    launch(static_cast<const Exact::Io*>(pass.products));
  } else {
    launch(static_cast<const Bf16::Io*>(pass.products));
  }
  const auto reduce_blocks = static_cast<unsigned>((num_sums + kReduceWidth - 1) / kReduceWidth);
  add_partials<<<reduce_blocks, kReduceThreads, 0, queue>>>(partials, blocks, num_sums,
                                                            pass.shape.actions, gradients);
  check(cudaGetLastError(), "the heads' gradient of the recurrent network");
}

}  // namespace plr::cuda::lstm

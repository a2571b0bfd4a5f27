// Inference kernel of the recurrent network by tiles of items, and the packing of its weights.
//
// infer_tile: Grid: a thread block of 256 threads per 64 items.  Shared memory (TileLayout): small
//   weights, the codes of the observations, the inputs of the gates and later the new h, both as
//   fp16.  A warp computes the gates of eight units at a time, in pairs of tiles of 16 rows, for
//   all items; it reads their weights directly from global memory, in which they are fragments, a
//   few chunks ahead.  Then warp w computes the tile w % 4 of the heads' hidden units for half of
//   the items, and the outputs of every eighth item.
// pack: a thread per 16 bytes of fragments, and per float.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/obs_range.cuh"
#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/split_half.cuh"
#include "plr/learn/cuda/lstm/activations.cuh"
#include "plr/learn/cuda/lstm/tile_inference.h"
#include "plr/learn/cuda/lstm/tile_layout.cuh"

namespace plr::cuda::lstm {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kColumns = kTileItems / 8;  // tiles of 8 items
constexpr int kAhead = 4;                 // chunks whose weights are on their way

// ---- Packed weights ----------------------------------------------------------------------------

__device__ float gate_weight(const TileLayout& layout, const Weights& w, int row, int input) {
  const int gate = row % 16 / 4;
  const int unit = row / 16 * 4 + row % 4;
  const std::int64_t from = gate * layout.units + unit;
  const int feature = input - layout.units;
  if (feature < 0) return w.hidden[from * layout.units + input];
  if (feature < layout.num_features) return w.input[from * layout.num_features + feature];
  return feature == layout.num_features ? w.input_bias[from] : 0.0F;
}

__device__ float head_weight(const TileLayout& layout, const Weights& w, int head, int unit) {
  return head < kHeadUnits ? w.policy_hidden[head * layout.units + unit]
                           : w.value_hidden[(head - kHeadUnits) * layout.units + unit];
}

// The part of a lane of the fragment of 16 rows and 16 inputs.
template <class Weight>
__device__ uint4 fragment(int lane, int row, int input, Weight weight) {
  const auto two = [&](int down, int right) {
    const int r = row + lane / 4 + down;
    const int k = input + 2 * (lane % 4) + right;
    return half2_bits(__floats2half2_rn(weight(r, k), weight(r, k + 1)));
  };
  return {two(0, 0), two(8, 0), two(0, 8), two(8, 8)};
}

__device__ float small_weight(const TileLayout& layout, const Weights& w, int i) {
  if (i < layout.conv_bias) return w.conv[i];
  if (i < layout.direction) return w.conv_bias[i - layout.conv_bias];
  if (i < layout.direction_bias) return w.direction[i - layout.direction];
  if (i < layout.head_bias) {
    return layout.directions > 0 ? w.direction_bias[i - layout.direction_bias] : 0.0F;
  }
  if (i < layout.outputs) {
    const int head = i - layout.head_bias;
    return head < kHeadUnits ? w.policy_hidden_bias[head] : w.value_hidden_bias[head - kHeadUnits];
  }
  if (i < layout.output_bias) {
    const int output = (i - layout.outputs) / kHeadPitch;
    const int k = (i - layout.outputs) % kHeadPitch;
    if (k == kHeadUnits) return 0;
    return output < layout.actions ? w.policy[output * kHeadUnits + k] : w.value[k];
  }
  const int output = i - layout.output_bias;
  return output < layout.actions ? w.policy_bias[output] : w.value_bias[0];
}

__global__ void __launch_bounds__(kThreads)
    pack(const TileLayout layout, const Weights w, std::uint8_t* packed) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int lane = i % 32;
  const int gate_words = layout.heads / 16;
  const int head_words = (layout.floats - layout.heads) / 16;
  if (i < gate_words) {
    const int tile = i / 32 / layout.chunks;
    const int chunk = i / 32 % layout.chunks;
    reinterpret_cast<uint4*>(packed)[i] =
        fragment(lane, 16 * tile, 16 * chunk,
                 [&](int row, int input) { return gate_weight(layout, w, row, input); });
  } else if (i < gate_words + head_words) {
    const int chunks = layout.units / 16;
    const int tile = (i - gate_words) / 32 / chunks;
    const int chunk = (i - gate_words) / 32 % chunks;
    reinterpret_cast<uint4*>(packed)[i] =
        fragment(lane, 16 * tile, 16 * chunk,
                 [&](int head, int unit) { return head_weight(layout, w, head, unit); });
  } else if (i < gate_words + head_words + layout.num_floats) {
    const int k = i - gate_words - head_words;
    reinterpret_cast<float*>(packed + layout.floats)[k] = small_weight(layout, w, k);
  }
}

// ---- Inference ---------------------------------------------------------------------------------

// The codes of all observations, one float4 per cell: those of the image scaled, then the
// direction.
__device__ void convert_codes(const TileLayout& layout, const InferenceJob& job,
                              const collect::InferenceItem* items, int count,
                              std::uint8_t* memory) {
  const int words = layout.raw_row / 16;
  for (int i = static_cast<int>(threadIdx.x); i < count * words; i += kThreads) {
    const int row = i / words;
    const ObsRange<uint4> obs(job, items[row].slot, layout.obs_bytes);
    const int word = i - row * words;
    if (word < obs.num_words) {
      *reinterpret_cast<uint4*>(memory + layout.raw + row * layout.raw_row + 16 * word) =
          obs.load(word);
    }
  }
  __syncthreads();
  auto* codes = reinterpret_cast<float4*>(memory + layout.codes);
  for (int i = static_cast<int>(threadIdx.x); i < kTileItems * layout.cells; i += kThreads) {
    const int row = i / layout.cells;
    float4 v = {};
    if (row < count) {
      const int skew = ObsRange<uint4>(job, items[row].slot, layout.obs_bytes).skew;
      const std::uint8_t* bytes = memory + layout.raw + row * layout.raw_row + skew +
                                  (i - row * layout.cells) * layout.channels;
      v = {static_cast<float>(bytes[0]) / kCodeScale, static_cast<float>(bytes[1]) / kCodeScale,
           static_cast<float>(bytes[2]) / kCodeScale,
           layout.directions > 0 ? static_cast<float>(bytes[3]) : 0.0F};
    }
    codes[i] = v;
  }
}

// Features of all items, from their codes, into the inputs of the gates.
__device__ void compute_features(const TileLayout& layout, std::uint8_t* memory) {
  const int thread = static_cast<int>(threadIdx.x);
  const auto* floats = reinterpret_cast<const float*>(memory + layout.shared_floats);
  const auto* codes = reinterpret_cast<const float4*>(memory + layout.codes);
  const auto input_of = [&](int row, int feature) {
    return reinterpret_cast<__half*>(memory + layout.inputs + row * layout.input_row) +
           layout.units + feature;
  };
  const int filter = thread % kFilters;
  float weight[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) weight[k] = floats[layout.conv + filter * kTaps + k];
  const float bias = floats[layout.conv_bias + filter];
  for (int i = thread / kFilters; i < kTileItems * layout.conv_pixels; i += kThreads / kFilters) {
    const int row = i / layout.conv_pixels;
    const int pixel = i - row * layout.conv_pixels;
    const int y = pixel / layout.conv_width;
    const int x = pixel - y * layout.conv_width;
    const float4* corner = codes + row * layout.cells + y * layout.width + x;
    float sum = bias;
#pragma unroll
    for (int tap = 0; tap < kTapSide * kTapSide; ++tap) {
      const float4 code = corner[tap / kTapSide * layout.width + tap % kTapSide];
      sum = fmaf(weight[tap * kImageChannels], code.x, sum);
      sum = fmaf(weight[tap * kImageChannels + 1], code.y, sum);
      sum = fmaf(weight[tap * kImageChannels + 2], code.z, sum);
    }
    *input_of(row, pixel * kFilters + filter) = __float2half_rn(fmaxf(sum, 0.0F));
  }
  // The direction's units, the one, and the zeros.
  const int conv_features = layout.conv_pixels * kFilters;
  const int others = layout.pitch - conv_features;
  for (int i = thread; i < kTileItems * others; i += kThreads) {
    const int row = i / others;
    const int feature = conv_features + i - row * others;
    float v = feature == layout.num_features ? 1.0F : 0.0F;
    if (feature < layout.num_features) {
      const int unit = feature - conv_features;
      const auto direction = static_cast<int>(codes[row * layout.cells].w);
      v = floats[layout.direction_bias + unit];
      if (direction < layout.directions) {
        v += floats[layout.direction + unit * layout.directions + direction];
      }
    }
    *input_of(row, feature) = __float2half_rn(v);
  }
}

// The address that this lane gives to ldmatrix for the operands of 16 items, from the first one on,
// and 16 inputs: then a[0], a[1] are of the first eight items, a[2], a[3] of the others.
__device__ std::uint32_t operand_address(const std::uint8_t* rows, int row_bytes, int lane) {
  const int row = lane / 16 * 8 + lane % 8;
  return shared_address(rows + row * row_bytes + lane / 8 % 2 * 16);
}

template <int UNITS>
__global__ void __launch_bounds__(kThreads, 1)
    infer_tile(const __grid_constant__ TileLayout layout, const std::uint8_t* packed,
               const __grid_constant__ InferenceJob job) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<std::uint8_t*>(aligned_memory);
  __shared__ collect::InferenceItem items[kTileItems];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int g = lane / 4;
  const int q = lane % 4;
  const int first = static_cast<int>(blockIdx.x) * kTileItems;
  const int count = min(kTileItems, job.batch - first);

  if (thread < count) {
    const int4 words = __ldcg(reinterpret_cast<const int4*>(job.items + first + thread));
    items[thread] = *reinterpret_cast<const collect::InferenceItem*>(&words);
  }
  auto* floats = reinterpret_cast<float*>(memory + layout.shared_floats);
  for (int i = thread; i < layout.num_floats; i += kThreads) {
    floats[i] = __ldg(reinterpret_cast<const float*>(packed + layout.floats) + i);
  }
  __syncthreads();
  convert_codes(layout, job, items, count, memory);
  // h of all items; zeros where there is no item or an episode begins.
  for (int i = thread; i < kTileItems * UNITS / 4; i += kThreads) {
    const int row = i / (UNITS / 4);
    const int k = i % (UNITS / 4);
    float4 v = {};
    if (row < count && items[row].begins_episode == 0) {
      const float* state = job.state + static_cast<std::int64_t>(items[row].slot) * 2 * UNITS;
      v = __ldcg(reinterpret_cast<const float4*>(state + UNITS + 4 * k));
    }
    *reinterpret_cast<uint2*>(memory + layout.inputs + row * layout.input_row + 8 * k) = {
        half2_bits(__floats2half2_rn(v.x, v.y)), half2_bits(__floats2half2_rn(v.z, v.w))};
  }
  __syncthreads();
  compute_features(layout, memory);
  __syncthreads();

  const bool is_upper = g >= 4;
  const std::uint32_t inputs = operand_address(memory + layout.inputs, layout.input_row, lane);
  for (int pair = warp; pair < UNITS / 8; pair += kWarps) {
    // This lane has unit 8 pair + 4 t + g % 4 of item 8 n + 2 q + is_upper.
    const int unit = 8 * pair + g % 4;
    float cell[2][kColumns];
#pragma unroll
    for (int n = 0; n < kColumns; ++n) {
      const int row = 8 * n + 2 * q + (is_upper ? 1 : 0);
      const bool is_kept = row < count && items[row].begins_episode == 0;
      const float* state =
          job.state + (is_kept ? static_cast<std::int64_t>(items[row].slot) * 2 * UNITS : 0) + unit;
      cell[0][n] = is_kept ? __ldcg(state) : 0.0F;
      cell[1][n] = is_kept ? __ldcg(state + 4) : 0.0F;
    }
    float sums[2][kColumns][4] = {};
    const auto* upper = reinterpret_cast<const uint4*>(packed + layout.gates) +
                        2 * pair * layout.chunks * 32 + lane;
    const uint4* lower = upper + layout.chunks * 32;
    uint4 ahead[kAhead][2];
#pragma unroll
    for (int d = 0; d < kAhead; ++d) {
      const int c = min(d, layout.chunks - 1);
      ahead[d][0] = __ldg(upper + c * 32);
      ahead[d][1] = __ldg(lower + c * 32);
    }
    for (int from = 0; from < layout.chunks; from += kAhead) {
#pragma unroll
      for (int d = 0; d < kAhead; ++d) {
        const int c = from + d;
        if (c >= layout.chunks) break;
        const uint4 a = ahead[d][0];
        const uint4 b = ahead[d][1];
        const int later = min(c + kAhead, layout.chunks - 1);
        ahead[d][0] = __ldg(upper + later * 32);
        ahead[d][1] = __ldg(lower + later * 32);
#pragma unroll
        for (int n = 0; n < kColumns; n += 2) {
          std::uint32_t x[4];
          ldmatrix_x4(x, inputs + 8 * n * layout.input_row + 32 * c);
          mma_f16(sums[0][n], a.x, a.y, a.z, a.w, x[0], x[1]);
          mma_f16(sums[1][n], b.x, b.y, b.z, b.w, x[0], x[1]);
          mma_f16(sums[0][n + 1], a.x, a.y, a.z, a.w, x[2], x[3]);
          mma_f16(sums[1][n + 1], b.x, b.y, b.z, b.w, x[2], x[3]);
        }
      }
    }
#pragma unroll
    for (int n = 0; n < kColumns; ++n) {
      const int row = 8 * n + 2 * q + (is_upper ? 1 : 0);
      const bool is_stored = row < count && items[row].value_only == 0;
      float* state =
          job.state + (is_stored ? static_cast<std::int64_t>(items[row].slot) * 2 * UNITS : 0);
      auto* hidden = reinterpret_cast<__half*>(memory + layout.hidden + row * layout.hidden_row);
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const auto [i_gate, f_gate, g_gate, o_gate] = gates_of_lane(sums[t][n], is_upper);
        const float c = sigmoid(f_gate) * cell[t][n] + sigmoid(i_gate) * tanh_of(g_gate);
        const float h = sigmoid(o_gate) * tanh_of(c);
        hidden[unit + 4 * t] = __float2half_rn(h);
        if (is_stored) {
          state[unit + 4 * t] = c;
          state[UNITS + unit + 4 * t] = h;
        }
      }
    }
  }
  // The next inference of a slot may be in another stream, once the host has the result.
  __threadfence();
  __syncthreads();

  float head_sums[kColumns / 2][4] = {};
  const int first_row = warp / 4 * (kTileItems / 2);
  const std::uint32_t hidden = operand_address(
      memory + layout.hidden + first_row * layout.hidden_row, layout.hidden_row, lane);
  const auto* weights =
      reinterpret_cast<const uint4*>(packed + layout.heads) + warp % 4 * (UNITS / 16) * 32 + lane;
#pragma unroll 4
  for (int c = 0; c < UNITS / 16; ++c) {
    const uint4 a = __ldg(weights + c * 32);
#pragma unroll
    for (int n = 0; n < kColumns / 2; n += 2) {
      std::uint32_t x[4];
      ldmatrix_x4(x, hidden + 8 * n * layout.hidden_row + 32 * c);
      mma_f16(head_sums[n], a.x, a.y, a.z, a.w, x[0], x[1]);
      mma_f16(head_sums[n + 1], a.x, a.y, a.z, a.w, x[2], x[3]);
    }
  }
  // The inputs, which the head's units replace, are read no more.
  auto* head_units = reinterpret_cast<float*>(memory + layout.head_units);
#pragma unroll
  for (int n = 0; n < kColumns / 2; ++n) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int row = first_row + 8 * n + 2 * q + k % 2;
      const int head = warp % 4 * 16 + g + k / 2 * 8;
      head_units[row * (kTileHeads + 1) + head] =
          fmaxf(head_sums[n][k] + floats[layout.head_bias + head], 0.0F);
    }
  }
  __syncthreads();

  for (int row = warp; row < count; row += kWarps) {
    const float* units = head_units + row * (kTileHeads + 1);
    const float* outputs = floats + layout.outputs;
    float logit = 0;
    if (lane < layout.actions) {
      logit = floats[layout.output_bias + lane];
#pragma unroll
      for (int k = 0; k < kHeadUnits; ++k) {
        logit = fmaf(outputs[lane * kHeadPitch + k], units[k], logit);
      }
    }
    const float value =
        warp_sum(outputs[layout.actions * kHeadPitch + lane] * units[kHeadUnits + lane]) +
        floats[layout.output_bias + layout.actions];
    sample_action(job, items[row], logit, value);
  }
}

constexpr int kMaxBytes = 224 * 1024;  // of the 227 KB of a Hopper; the rest is static

auto* kernel_for(int units) { return units == 128 ? infer_tile<128> : infer_tile<256>; }

}  // namespace

bool can_infer_tiles(const Shape& s) {
  if (s.units != 128 && s.units != 256) return false;
  if (s.channels != kImageChannels + (s.directions > 0 ? 1 : 0)) return false;
  if (s.height < kTapSide || s.width < kTapSide || s.actions > kMaxActions) return false;
  const TileLayout layout(s);
  const bool heads_fit = (kTileHeads + 1) * 4 <= layout.input_row;  // they replace the inputs
  return heads_fit && layout.total <= kMaxBytes;
}

std::int64_t packed_tile_bytes(const Shape& shape) { return TileLayout(shape).packed_end; }

void pack_tile_weights(const Shape& shape, const Weights& weights, void* packed, void* stream) {
  const TileLayout layout(shape);
  const int count = layout.floats / 16 + layout.num_floats;
  pack<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0,
         static_cast<cudaStream_t>(stream)>>>(layout, weights, static_cast<std::uint8_t*>(packed));
  check(cudaGetLastError(), "packing the weights of the recurrent network");
}

void infer_tiles(const Shape& shape, const void* packed, const InferenceJob& job, void* stream) {
  const TileLayout layout(shape);
  auto* kernel = kernel_for(shape.units);
  require(kernel, {.shared_bytes = layout.total});
  const auto blocks = static_cast<unsigned>((job.batch + kTileItems - 1) / kTileItems);
  kernel<<<blocks, kThreads, static_cast<std::size_t>(layout.total),
           static_cast<cudaStream_t>(stream)>>>(layout, static_cast<const std::uint8_t*>(packed),
                                                job);
  check(cudaGetLastError(), "inference with the recurrent network by tiles");
}

}  // namespace plr::cuda::lstm

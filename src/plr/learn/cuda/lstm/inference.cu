// Inference kernel of the recurrent network by clusters of thread blocks, in fp32.
//
// infer_batch: Grid: a cluster of UNITS / 16 thread blocks per 8 items.  256 threads, one thread
//   block per multiprocessor.  Shared memory (InferenceLayout): the weights, of the gates those of
//   16 units; an observation and its features; features and h of all items as operands; partial
//   sums.  inference_layout.cuh says which thread block owns what.
//   The product with h is computed while features are on their way.  Thread blocks exchange data in
//   two phases: features, then partial sums of the heads' hidden units.  Each receiver counts the
//   bytes with a barrier of its own.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/obs_range.cuh"
#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/split_half.cuh"
#include "plr/learn/cuda/common/take_item.cuh"
#include "plr/learn/cuda/lstm/activations.cuh"
#include "plr/learn/cuda/lstm/inference.h"
#include "plr/learn/cuda/lstm/inference_layout.cuh"

namespace plr::cuda::lstm {
namespace {

constexpr int kThreads = kInferenceThreads;
constexpr int kLaunchItems = 64;

// Arguments of a launch reach the device faster than it can read host memory.
struct LaunchItems {
  collect::InferenceItem item[kLaunchItems];
};

__device__ uint4 quad_at(const std::uint8_t* p) { return *reinterpret_cast<const uint4*>(p); }
__device__ const float* floats_at(const std::uint8_t* p) {
  return reinterpret_cast<const float*>(p);
}

// Sums of 16 rows and 8 columns, as three products of fp16 (split_half.cuh).
struct GateSums {
  float big[4] = {};
  float small[2][4] = {};

  __device__ float at(int i) const {
    return fmaf(small[0][i] + small[1][i], 1 / kSmallScale, big[i]);
  }
  // Adds 16 inputs per chunk of rows g and g + 8 times those of column g.
  __device__ void add(const std::uint8_t* upper, const std::uint8_t* lower,
                      const std::uint8_t* column, int chunks) {
#pragma unroll 4
    for (int c = 0; c < chunks; ++c) {
      const uint4 a = quad_at(upper + 64 * c);
      const uint4 b = quad_at(lower + 64 * c);
      const uint4 x = quad_at(column + 64 * c);
      mma_f16(small[0], a.z, b.z, a.w, b.w, x.x, x.y);
      mma_f16(small[1], a.x, b.x, a.y, b.y, x.z, x.w);
      mma_f16(big, a.x, b.x, a.y, b.y, x.x, x.y);
    }
  }
};

// The value of a feature, given the codes of an observation, those of the image scaled.
__device__ float feature_of(const InferenceLayout& layout, const std::uint8_t* memory,
                            const float* codes, int feature) {
  const int conv_features = layout.conv_pixels * kFilters;
  if (feature < conv_features) {
    const int filter = feature % kFilters;
    const int pixel = feature / kFilters;
    const int y = pixel / layout.conv_width;
    const int x = pixel - y * layout.conv_width;
    const float* weights = floats_at(memory + layout.conv) + filter * kTaps;
    float sum = floats_at(memory + layout.conv_bias)[filter];
#pragma unroll
    for (int tap = 0; tap < kTapSide * kTapSide; ++tap) {
      const int cell = (y + tap / kTapSide) * layout.width + x + tap % kTapSide;
#pragma unroll
      for (int k = 0; k < kImageChannels; ++k) {
        sum = fmaf(weights[tap * kImageChannels + k], codes[cell * layout.channels + k], sum);
      }
    }
    return fmaxf(sum, 0.0F);
  }
  if (feature == layout.num_features) return 1;
  if (feature > layout.num_features) return 0;
  const int unit = feature - conv_features;
  const auto direction = static_cast<int>(codes[layout.channels - 1]);
  const float bias = floats_at(memory + layout.direction_bias)[unit];
  if (direction >= layout.directions) return bias;
  return bias + floats_at(memory + layout.direction)[unit * layout.directions + direction];
}

template <int UNITS>
__global__ void __launch_bounds__(kThreads, 1)
    infer_batch(const __grid_constant__ InferenceLayout layout, const std::uint8_t* packed,
                const __grid_constant__ InferenceJob job,
                const __grid_constant__ LaunchItems launch_items) {
  constexpr int kBlocks = UNITS / kInferenceUnits;
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<std::uint8_t*>(aligned_memory);
  __shared__ alignas(8) std::uint64_t weights_arrived, gates_arrived, features_arrived,
      partials_arrived;
  __shared__ collect::InferenceItem items[kItems];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int g = lane / 4;
  const int q = lane % 4;
  const int rank = cluster_rank();
  const int first = static_cast<int>(blockIdx.x) / kBlocks * kItems;
  const int count = min(kItems, job.batch - first);
  const bool has_item = rank < count;

  if (thread == 0) {
    mbarrier_init(shared_address(&weights_arrived), 1);
    mbarrier_init(shared_address(&gates_arrived), 1);
    mbarrier_init(shared_address(&features_arrived), 1);
    mbarrier_init(shared_address(&partials_arrived), 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(shared_address(&features_arrived), count * layout.pitch * 4);
    mbarrier_arrive_expect_tx(shared_address(&partials_arrived), kBlocks * kHeads * 4);
  }
  cluster_arrive_relaxed();
  if (thread < count) {
    if (job.batch <= kLaunchItems) {
      items[thread] = launch_items.item[first + thread];
    } else {
      const int4 words = __ldcg(reinterpret_cast<const int4*>(job.items + first + thread));
      items[thread] = *reinterpret_cast<const collect::InferenceItem*>(&words);
    }
  }
  __syncthreads();
  const collect::InferenceItem item = items[has_item ? rank : 0];
  const ObsRange<uint4> obs(job, item.slot, layout.obs_bytes);
  uint4 word = {};
  if (has_item && thread < obs.num_words) word = obs.load(thread);
  if (thread == 0) {
    const std::uint8_t* from = packed + static_cast<std::int64_t>(rank) * layout.weights_end;
    expect_and_cp_async_bulk(shared_address(memory), from, layout.gates,
                             shared_address(&weights_arrived));
    expect_and_cp_async_bulk(shared_address(memory + layout.gates), from + layout.gates,
                             layout.weights_end - layout.gates, shared_address(&gates_arrived));
  }

  // h of all items as operands, by every thread block for itself.
  for (int i = thread; i < count * UNITS / 4; i += kThreads) {
    const int row = i / (UNITS / 4);
    const int k = i % (UNITS / 4);
    const collect::InferenceItem& of_row = items[row];
    float4 v = {};
    if (of_row.begins_episode == 0) {
      const float* state = job.state + static_cast<std::int64_t>(of_row.slot) * 2 * UNITS;
      v = __ldcg(reinterpret_cast<const float4*>(state + UNITS + 4 * k));
    }
    *reinterpret_cast<uint4*>(memory + layout.h + row * layout.h_row + 16 * k) = split_halves(v);
  }
  // The first four warps have a unit of an item per thread.
  const bool is_upper = g >= 4;
  const int row = 2 * q + (is_upper ? 1 : 0);
  const int local_unit = 4 * (warp % 4) + g % 4;
  const int unit = rank * kInferenceUnits + local_unit;
  const bool has_unit = warp < 4 && row < count;
  const collect::InferenceItem unit_item = items[row < count ? row : 0];
  const std::int64_t state_at = static_cast<std::int64_t>(unit_item.slot) * 2 * UNITS + unit;
  float cell = 0;
  if (has_unit) {
    cell = __ldcg(job.state + state_at);
    if (unit_item.step == 0 && job.first_state != nullptr) {
      job.first_state[state_at] = cell;
      job.first_state[state_at + UNITS] = __ldcg(job.state + state_at + UNITS);
    }
    if (unit_item.begins_episode != 0) cell = 0;
  }
  __syncthreads();

  cluster_wait();  // all barriers are initialized
  const std::uint8_t* bytes = memory + layout.raw + obs.skew;
  if (has_item) {
    auto* raw = reinterpret_cast<uint4*>(memory + layout.raw);
    if (thread < obs.num_words) raw[thread] = word;
    mbarrier_wait(shared_address(&weights_arrived), 0);
    __syncthreads();
    auto* codes = reinterpret_cast<float*>(memory + layout.codes);
    for (int i = thread; i < layout.obs_bytes; i += kThreads) {
      const bool is_direction = layout.directions > 0 && i % layout.channels == layout.channels - 1;
      const auto code = static_cast<float>(bytes[i]);
      codes[i] = is_direction ? code : code / kCodeScale;
    }
    __syncthreads();
    auto* features = reinterpret_cast<float*>(memory + layout.features);
    for (int i = thread; i < layout.pitch; i += kThreads) {
      features[i] = feature_of(layout, memory, codes, i);
    }
    __syncthreads();
    const int quads = layout.pitch / 4;
    const std::uint32_t x = shared_address(memory + layout.x + rank * layout.x_row);
    for (int i = thread; i < quads * kBlocks; i += kThreads) {
      const int to = i / quads;
      const int k = i - to * quads;
      const float4 v = *reinterpret_cast<const float4*>(features + 4 * k);
      st_async_16(mapa(x + 16 * k, to), split_halves(v),
                  mapa(shared_address(&features_arrived), to));
    }
  } else {
    mbarrier_wait(shared_address(&weights_arrived), 0);
  }

  // Warps w and w + 4 share the rows of four units: each multiplies half of h and of the
  // features.
  GateSums sums;
  const int half = warp / 4;
  const std::uint8_t* upper =
      memory + layout.gates + (16 * (warp % 4) + g) * layout.gate_row + 16 * q;
  const std::uint8_t* lower = upper + 8 * layout.gate_row;
  constexpr int kHiddenChunks = UNITS / 16 / 2;  // of a half
  mbarrier_wait(shared_address(&gates_arrived), 0);
  sums.add(upper + half * kHiddenChunks * 64, lower + half * kHiddenChunks * 64,
           memory + layout.h + g * layout.h_row + 16 * q + half * kHiddenChunks * 64,
           kHiddenChunks);

  mbarrier_wait(shared_address(&features_arrived), 0);
  const int feature_chunks = layout.pitch / 16;
  const int first_chunks = (feature_chunks + 1) / 2;  // of the first half
  const int begin = (UNITS / 16 + half * first_chunks) * 64;
  sums.add(upper + begin, lower + begin,
           memory + layout.x + g * layout.x_row + 16 * q + half * first_chunks * 64,
           half == 0 ? first_chunks : feature_chunks - first_chunks);

  auto* half_sums = reinterpret_cast<float4*>(memory + layout.half_sums);
  if (half == 1) half_sums[thread - 128] = {sums.at(0), sums.at(1), sums.at(2), sums.at(3)};
  __syncthreads();
  auto* new_hidden = reinterpret_cast<float*>(memory + layout.new_hidden);
  if (half == 0) {
    const float4 other = half_sums[thread];
    const float v[4] = {sums.at(0) + other.x, sums.at(1) + other.y, sums.at(2) + other.z,
                        sums.at(3) + other.w};
    const auto [i_gate, f_gate, g_gate, o_gate] = gates_of_lane(v, is_upper);
    cell = sigmoid(f_gate) * cell + sigmoid(i_gate) * tanh_of(g_gate);
    const float hidden = sigmoid(o_gate) * tanh_of(cell);
    new_hidden[local_unit * kItems + row] = hidden;
    if (has_unit && unit_item.value_only == 0) {
      job.state[state_at] = cell;
      job.state[state_at + UNITS] = hidden;
      // The next inference of the slot may be in another stream, once the host has the result.
      __threadfence();
    }
  }
  __syncthreads();

  // This thread block's part of the heads' hidden units, four of an item per thread.
  if (thread < kItems * kHeads / 4) {
    const int to = thread / (kHeads / 4);
    const int k = thread % (kHeads / 4);
    const auto* weights = reinterpret_cast<const float4*>(memory + layout.head_hidden) + k;
    float4 sum = {};
#pragma unroll
    for (int u = 0; u < kInferenceUnits; ++u) {
      const float4 w = weights[u * (kHeads / 4)];
      const float h = new_hidden[u * kItems + to];
      sum = {fmaf(w.x, h, sum.x), fmaf(w.y, h, sum.y), fmaf(w.z, h, sum.z), fmaf(w.w, h, sum.w)};
    }
    if (to < count) {
      const uint4 bits = {__float_as_uint(sum.x), __float_as_uint(sum.y), __float_as_uint(sum.z),
                          __float_as_uint(sum.w)};
      const std::uint32_t partial =
          shared_address(memory + layout.partials + (rank * kHeads + 4 * k) * 4);
      st_async_16(mapa(partial, to), bits, mapa(shared_address(&partials_arrived), to));
    }
  }
  if (!has_item) return;

  if (std::uint8_t* to = history_of(job, item, layout.obs_bytes)) {
    for (int i = thread; i < layout.obs_bytes; i += kThreads) to[i] = bytes[i];
  }
  auto* units = reinterpret_cast<float*>(memory + layout.units);
  mbarrier_wait(shared_address(&partials_arrived), 0);
  if (thread < kHeads) {
    const float* partials = floats_at(memory + layout.partials) + thread;
    float sum = floats_at(memory + layout.head_bias)[thread];
#pragma unroll
    for (int r = 0; r < kBlocks; ++r) sum += partials[r * kHeads];
    units[thread] = fmaxf(sum, 0.0F);
  }
  __syncthreads();
  if (warp != 0) return;
  const float* outputs = floats_at(memory + layout.outputs);
  const float* biases = floats_at(memory + layout.output_bias);
  float logit = 0;
  if (lane < layout.actions) {
    logit = biases[lane];
#pragma unroll
    for (int k = 0; k < kHeadUnits; ++k)
      logit = fmaf(outputs[lane * kOutputPitch + k], units[k], logit);
  }
  const float value =
      warp_sum(outputs[layout.actions * kOutputPitch + lane] * units[kHeadUnits + lane]) +
      biases[layout.actions];
  sample_action(job, item, logit, value);
}

constexpr int kMaxBytes = 224 * 1024;  // of the 227 KB of a Hopper; the rest is static

auto* kernel_for(const Shape& shape) {
  return shape.units == 128 ? infer_batch<128> : infer_batch<256>;
}

// A grid of clusters.
struct ClusterLaunch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};

  ClusterLaunch(const Shape& shape, int num_clusters, int shared_bytes, void* stream) {
    const auto blocks = static_cast<unsigned>(shape.units / kInferenceUnits);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks, 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(num_clusters) * blocks);
    config.blockDim = dim3(kThreads);
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

}  // namespace

bool can_infer(const Shape& s) {
  if (s.units != 128 && s.units != 256) return false;
  if (s.channels != kImageChannels + (s.directions > 0 ? 1 : 0)) return false;
  if (s.height < kTapSide || s.width < kTapSide || s.actions > kMaxActions) return false;
  if (s.obs_bytes() > 16 * (kThreads - 2)) return false;  // a word per thread
  const InferenceLayout layout(s);
  if (layout.total > kMaxBytes) return false;
  auto* kernel = kernel_for(s);
  require(kernel, {.shared_bytes = layout.total, .large_clusters = true});
  const ClusterLaunch launch(s, 1, layout.total, nullptr);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config),
        "counting clusters that run at once");
  return clusters > 0;
}

void infer(const Shape& shape, const void* packed, const InferenceJob& job, void* stream) {
  const InferenceLayout layout(shape);
  auto* kernel = kernel_for(shape);
  require(kernel, {.shared_bytes = layout.total, .large_clusters = true});
  LaunchItems items = {};
  if (job.batch <= kLaunchItems) std::copy_n(job.items, job.batch, items.item);
  const int num_clusters = (job.batch + kItems - 1) / kItems;
  const ClusterLaunch launch(shape, num_clusters, layout.total, stream);
  check(cudaLaunchKernelEx(&launch.config, kernel, layout, static_cast<const std::uint8_t*>(packed),
                           job, items),
        "inference with the recurrent network");
}

}  // namespace plr::cuda::lstm

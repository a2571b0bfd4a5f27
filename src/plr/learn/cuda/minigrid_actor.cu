#include <cuda_runtime.h>

#include "plr/learn/cuda/check.h"
#include "plr/learn/cuda/decide.cuh"
#include "plr/learn/cuda/minigrid_actor.h"

namespace plr::cuda {
namespace {

constexpr int kIn = 3;
constexpr int kFirst = 16;   // channels after the first convolution
constexpr int kSecond = 32;  // and after the second
constexpr int kHidden = 64;

// ---- see ---------------------------------------------------------------------------------------

constexpr int kSeeThreads = 512;
constexpr int kMaxSeeBytes = 160 * 1024;  // of the 227 KB of a Hopper, and below what Ampere has

// Where things lie in the shared memory of a block, in floats.  Weights are turned to [in][out]
// with one float of padding, so that neither turning them nor reading them meets a bank twice; the
// inputs of a layer begin at multiples of four for vector loads.
struct SeeLayout {
  int image, first, second, conv1, conv2, conv3, total;

  __host__ __device__ explicit SeeLayout(const MinigridShape& s) {
    const auto rounded = [](int n) { return (n + 3) / 4 * 4; };
    const int ph = s.pool ? (s.height - 1) / 2 : s.height - 1;
    const int pw = s.pool ? (s.width - 1) / 2 : s.width - 1;
    image = 0;
    first = rounded(s.height * s.width * kIn);
    // Strips of eight outputs may read a little beyond the last row.
    second = first + rounded(ph * pw * kFirst) + 8 * kFirst;
    conv1 = second + rounded((ph - 1) * (pw - 1) * kSecond) + 8 * kSecond;
    conv2 = conv1 + 4 * kIn * (kFirst + 1);
    conv3 = conv2 + 4 * kFirst * (kSecond + 1);
    total = conv3 + 4 * kSecond * (s.channels + 1);
  }
};

// [out][in] in global memory -> [in][out + 1] in shared.
__device__ void turn(const float* from, int in, int out, float* to) {
  for (int i = static_cast<int>(threadIdx.x); i < in * out; i += kSeeThreads) {
    to[(i % in) * (out + 1) + i / in] = from[i];
  }
}

// The first convolution, pooled if asked for, and ReLU.  A thread makes one channel of one output.
__device__ void see_first(const MinigridShape& s, int rows, int columns, const float* image,
                          const float* weight, const float* bias, float* out) {
  const int cells = s.pool ? 2 : 1;  // of a window's side
  for (int i = static_cast<int>(threadIdx.x); i < rows * columns * kFirst; i += kSeeThreads) {
    const int o = i % kFirst;
    const int x = i / kFirst % columns * cells;
    const int y = i / kFirst / columns * cells;
    float best = 0;
    for (int dy = 0; dy < cells; ++dy) {
      for (int dx = 0; dx < cells; ++dx) {
        const float* patch = image + ((y + dy) * s.width + x + dx) * kIn;
        float sum = bias[o];
#pragma unroll
        for (int j = 0; j < 4 * kIn; ++j) {
          const float in = patch[(j / (2 * kIn)) * s.width * kIn + j % (2 * kIn)];
          sum = fmaf(in, weight[j * (kFirst + 1) + o], sum);
        }
        best = fmaxf(best, sum);
      }
    }
    out[i] = best;
  }
}

// A 2x2 convolution and ReLU over [rows + 1][columns + 1][IN].  A thread makes one channel of a
// strip of eight outputs side by side, which share the inputs that it reads, the same for all lanes
// of a channel group.
template <int IN>
__device__ void see_next(int rows, int columns, int out_channels, const float* in,
                         const float* weight, const float* bias, float* out) {
  constexpr int kStrip = 8;
  const int strips = (columns + kStrip - 1) / kStrip;
  for (int i = static_cast<int>(threadIdx.x); i < rows * strips * out_channels; i += kSeeThreads) {
    const int o = i % out_channels;
    const int x = i / out_channels % strips * kStrip;
    const int y = i / out_channels / strips;
    float sum[kStrip];
#pragma unroll
    for (int k = 0; k < kStrip; ++k) sum[k] = bias[o];
    for (int dy = 0; dy < 2; ++dy) {
      const float* row = in + ((y + dy) * (columns + 1) + x) * IN;
      for (int c = 0; c < IN; c += 4) {
        float4 cell[kStrip + 1];
#pragma unroll
        for (int k = 0; k <= kStrip; ++k) {
          cell[k] = *reinterpret_cast<const float4*>(row + k * IN + c);
        }
#pragma unroll
        for (int dx = 0; dx < 2; ++dx) {
          const float* w = weight + ((dy * 2 + dx) * IN + c) * (out_channels + 1) + o;
          const float w0 = w[0];
          const float w1 = w[out_channels + 1];
          const float w2 = w[2 * (out_channels + 1)];
          const float w3 = w[3 * (out_channels + 1)];
#pragma unroll
          for (int k = 0; k < kStrip; ++k) {
            sum[k] = fmaf(cell[k + dx].x, w0, sum[k]);
            sum[k] = fmaf(cell[k + dx].y, w1, sum[k]);
            sum[k] = fmaf(cell[k + dx].z, w2, sum[k]);
            sum[k] = fmaf(cell[k + dx].w, w3, sum[k]);
          }
        }
      }
    }
#pragma unroll
    for (int k = 0; k < kStrip; ++k) {
      if (x + k < columns) out[(y * columns + x + k) * out_channels + o] = fmaxf(sum[k], 0.0F);
    }
  }
}

__global__ void __launch_bounds__(kSeeThreads)
    see(MinigridShape s, MinigridWeights w, ActingJob job, float* features) {
  extern __shared__ float4 aligned_memory[];
  auto* memory = reinterpret_cast<float*>(aligned_memory);
  const SeeLayout at(s);
  const int size = s.height * s.width * kIn;
  if (threadIdx.x == 0) job.drawn[blockIdx.x] = job.uniforms[blockIdx.x];
  const std::uint8_t* bytes = job.obs + static_cast<std::int64_t>(blockIdx.x) * size;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kSeeThreads) {
    memory[at.image + i] = static_cast<float>(bytes[i]);
  }
  turn(w.conv1, 4 * kIn, kFirst, memory + at.conv1);
  turn(w.conv2, 4 * kFirst, kSecond, memory + at.conv2);
  turn(w.conv3, 4 * kSecond, s.channels, memory + at.conv3);
  __syncthreads();

  const int rows = s.pool ? (s.height - 1) / 2 : s.height - 1;
  const int columns = s.pool ? (s.width - 1) / 2 : s.width - 1;
  see_first(s, rows, columns, memory + at.image, memory + at.conv1, w.conv1_bias,
            memory + at.first);
  __syncthreads();
  see_next<kFirst>(rows - 1, columns - 1, kSecond, memory + at.first, memory + at.conv2,
                   w.conv2_bias, memory + at.second);
  __syncthreads();
  const std::int64_t num_features =
      static_cast<std::int64_t>(rows - 2) * (columns - 2) * s.channels;
  see_next<kSecond>(rows - 2, columns - 2, s.channels, memory + at.second, memory + at.conv3,
                    w.conv3_bias, features + blockIdx.x * num_features);
}

// ---- decide ------------------------------------------------------------------------------------

constexpr int kTile = 8;  // images, and hidden units, of a block
constexpr int kDecideWarps = 8;
constexpr int kUnits = 2 * kHidden;  // the actor's, then the critic's
constexpr int kUnitBlocks = kUnits / kTile;

// Sums each of 64 numbers over the lanes of a warp; lane l is left with those of 2l and 2l + 1, in
// x[0] and x[1].  Lanes that differ in a bit share the numbers between them, so that each step
// halves what is left: 62 exchanges instead of 320.
template <int HALF = kTile* kTile / 2>
__device__ void sum_over_lanes(float (&x)[kTile * kTile]) {
  const bool upper = (threadIdx.x & (HALF / 2)) != 0;
#pragma unroll
  for (int i = 0; i < HALF; ++i) {
    const float mine = upper ? x[HALF + i] : x[i];
    const float theirs = upper ? x[i] : x[HALF + i];
    x[i] = mine + __shfl_xor_sync(kWholeWarp, theirs, HALF / 2);
  }
  if constexpr (HALF > 2) sum_over_lanes<HALF / 2>(x);
}

__global__ void __launch_bounds__(32 * kDecideWarps)
    decide_all(MinigridWeights w, ActingJob job, int num_features, MinigridScratch scratch) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int first_image = static_cast<int>(blockIdx.y) * kTile;
  const int first_unit = static_cast<int>(blockIdx.x) * kTile;
  const bool is_actor = first_unit < kHidden;
  const float* weights = (is_actor ? w.actor : w.critic) +
                         static_cast<std::int64_t>(first_unit % kHidden) * num_features;

  // All products of 8 images and 8 units; every warp and lane takes its share of the features.
  float sum[kTile * kTile] = {};
  for (int k = (warp * 32 + lane) * 4; k < num_features; k += 32 * kDecideWarps * 4) {
    float4 f[kTile];
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      const std::int64_t image = min(first_image + i, job.batch - 1);
      f[i] = __ldg(reinterpret_cast<const float4*>(scratch.features + image * num_features + k));
    }
#pragma unroll
    for (int j = 0; j < kTile; ++j) {
      const float4 v = __ldg(reinterpret_cast<const float4*>(
          weights + static_cast<std::int64_t>(j) * num_features + k));
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
        float& x = sum[i * kTile + j];
        x = fmaf(f[i].x, v.x, x);
        x = fmaf(f[i].y, v.y, x);
        x = fmaf(f[i].z, v.z, x);
        x = fmaf(f[i].w, v.w, x);
      }
    }
  }
  sum_over_lanes(sum);
  __shared__ float parts[kDecideWarps][kTile * kTile];
  parts[warp][2 * lane] = sum[0];
  parts[warp][2 * lane + 1] = sum[1];
  __syncthreads();
  if (threadIdx.x < kTile * kTile) {
    const int image = first_image + static_cast<int>(threadIdx.x) / kTile;
    const int unit = first_unit + static_cast<int>(threadIdx.x) % kTile;
    float total = (is_actor ? w.actor_bias : w.critic_bias)[unit % kHidden];
#pragma unroll
    for (int p = 0; p < kDecideWarps; ++p) total += parts[p][threadIdx.x];
    scratch.hidden[image * kUnits + unit] = tanhf(total);
  }

  // The last block of these images goes on; the others have made their hidden units visible.
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&scratch.num_done[blockIdx.y], 1) == kUnitBlocks - 1;
    if (is_last) scratch.num_done[blockIdx.y] = 0;  // for the next time
  }
  __syncthreads();
  const int image = first_image + warp;
  if (!is_last || image >= job.batch) return;
  __threadfence();
  const float* mine = scratch.hidden + image * kUnits;
  const float actor0 = __ldcg(mine + lane);
  const float actor1 = __ldcg(mine + lane + 32);
  float logit = 0;
  for (int a = 0; a < job.num_actions; ++a) {
    const float* row = w.policy + a * kHidden;
    const float dot = warp_sum(actor0 * row[lane] + actor1 * row[lane + 32]);
    if (lane == a) logit = dot + w.policy_bias[a];
  }
  const float value = warp_sum(__ldcg(mine + kHidden + lane) * w.value[lane] +
                               __ldcg(mine + kHidden + lane + 32) * w.value[lane + 32]);
  decide(job, image, logit, value + w.value_bias[0]);
}

}  // namespace

bool can_act(const MinigridShape& shape, int obs_channels) {
  if (obs_channels != kIn || (shape.channels != 32 && shape.channels != 64)) return false;
  if (shape.num_actions > 32) return false;
  return SeeLayout(shape).total * sizeof(float) <= kMaxSeeBytes;
}

std::int64_t minigrid_tiles(std::int64_t batch) { return (batch + kTile - 1) / kTile; }

void minigrid_act(const MinigridShape& shape, const MinigridWeights& weights, const ActingJob& job,
                  const MinigridScratch& scratch, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto bytes = static_cast<int>(SeeLayout(shape).total * sizeof(float));
  // Taken once for all grids: to ask each time would cost as much as a launch.
  static const cudaError_t allowed =
      cudaFuncSetAttribute(see, cudaFuncAttributeMaxDynamicSharedMemorySize, kMaxSeeBytes);
  check(allowed, "taking shared memory");
  see<<<job.batch, kSeeThreads, bytes, queue>>>(shape, weights, job, scratch.features);
  const dim3 blocks(kUnitBlocks, static_cast<unsigned>(minigrid_tiles(job.batch)));
  decide_all<<<blocks, 32 * kDecideWarps, 0, queue>>>(weights, job, shape.num_features(), scratch);
  check(cudaGetLastError(), "acting");
}

}  // namespace plr::cuda

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/tf32.cuh"
#include "plr/learn/cuda/grid_cnn/inference.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kIn = 3;
constexpr int kFirst = 16;   // channels after the first convolution
constexpr int kSecond = 32;  // and after the second
constexpr int kHidden = 64;

// ---- see ---------------------------------------------------------------------------------------

constexpr int kSeeThreads = 512;
constexpr int kMaxSeeBytes = 160 * 1024;  // of the 227 KB of a Hopper, and below what Ampere has
constexpr int kMaxBands = 4;              // blocks of an image, each with a band of its rows

// What a block computes of an image: rows of the last convolution, and all that they need.
struct SeenBand {
  int all_rows;             // that the last convolution has
  int first, rows;          // the band's
  int columns;              // of the first one, pooled
  int image_row, num_rows;  // of the image

  __host__ __device__ SeenBand(const Shape& s, int band, int num_bands) {
    const int cells = s.pool ? 2 : 1;
    all_rows = (s.height - 1) / cells - 2;
    first = band * all_rows / num_bands;
    rows = (band + 1) * all_rows / num_bands - first;
    columns = (s.width - 1) / cells;
    image_row = cells * first;
    num_rows = cells * (rows + 2) + 1;
  }
};

// Where things lie in the shared memory of a block, in floats.  Weights are turned to [in][out]
// with one float of padding, so that neither turning them nor reading them meets a bank twice; the
// inputs of a layer begin at multiples of four for vector loads.
struct SeeLayout {
  int image, first, second, conv1, conv2, conv3, total;

  __host__ __device__ SeeLayout(const Shape& s, const SeenBand& band) {
    const auto rounded = [](int n) { return (n + 3) / 4 * 4; };
    image = 0;
    first = rounded(band.num_rows * s.width * kIn);
    // Strips of eight outputs may read a little beyond the last row.
    second = first + rounded((band.rows + 2) * band.columns * kFirst) + 8 * kFirst;
    conv1 = second + rounded((band.rows + 1) * (band.columns - 1) * kSecond) + 8 * kSecond;
    conv2 = conv1 + 4 * kIn * (kFirst + 1);
    conv3 = conv2 + 4 * kFirst * (kSecond + 1);
    total = conv3 + 4 * kSecond * (s.channels + 1);
  }
  // For the last band, than which none is larger.
  static std::size_t bytes(const Shape& s, int num_bands) {
    const SeeLayout last(s, SeenBand(s, num_bands - 1, num_bands));
    return static_cast<std::size_t>(last.total) * sizeof(float);
  }
};

// [out][in] in global memory -> [in][out + 1] in shared.
__device__ void turn(const float* from, int in, int out, float* to) {
  for (int i = static_cast<int>(threadIdx.x); i < in * out; i += kSeeThreads) {
    to[(i % in) * (out + 1) + i / in] = from[i];
  }
}

// The first convolution, pooled if asked for, and ReLU.  A thread makes one channel of one output.
__device__ void see_first(const Shape& s, int rows, int columns, const float* image,
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
    see(Shape s, Weights w, InferenceJob job, float* features) {
  extern __shared__ float4 aligned_memory[];
  auto* memory = reinterpret_cast<float*>(aligned_memory);
  const std::int64_t image = blockIdx.x;
  const SeenBand band(s, static_cast<int>(blockIdx.y), static_cast<int>(gridDim.y));
  const SeeLayout at(s, band);
  if (threadIdx.x == 0 && blockIdx.y == 0) job.device_uniforms[image] = job.uniforms[image];
  const std::uint8_t* bytes = job.obs + (image * s.height + band.image_row) * s.width * kIn;
  for (int i = static_cast<int>(threadIdx.x); i < band.num_rows * s.width * kIn; i += kSeeThreads) {
    memory[at.image + i] = static_cast<float>(bytes[i]);
  }
  turn(w.conv1, 4 * kIn, kFirst, memory + at.conv1);
  turn(w.conv2, 4 * kFirst, kSecond, memory + at.conv2);
  turn(w.conv3, 4 * kSecond, s.channels, memory + at.conv3);
  __syncthreads();

  see_first(s, band.rows + 2, band.columns, memory + at.image, memory + at.conv1, w.conv1_bias,
            memory + at.first);
  __syncthreads();
  see_next<kFirst>(band.rows + 1, band.columns - 1, kSecond, memory + at.first, memory + at.conv2,
                   w.conv2_bias, memory + at.second);
  __syncthreads();
  const std::int64_t row = image * band.all_rows + band.first;
  see_next<kSecond>(band.rows, band.columns - 2, s.channels, memory + at.second, memory + at.conv3,
                    w.conv3_bias, features + row * (band.columns - 2) * s.channels);
}

// ---- think -------------------------------------------------------------------------------------

constexpr int kThinkWarps = 8;
constexpr int kTile = kInferenceTile;  // images of a block
constexpr int kSlices = kInferenceSlices;
constexpr int kUnits = 2 * kHidden;  // the actor's, then the critic's
constexpr int kChunk = 16;           // features that four lanes take in one load each

// A slice of the sums over the features, for 64 images and the hidden units of one side; warps 4 x
// 2, 16 images and 32 units each.  In which order a product takes the features is all the same as
// long as images and units agree: a lane gives those that lie side by side in memory.
__global__ void __launch_bounds__(32 * kThinkWarps)
    think(Weights w, int batch, int num_features, InferenceScratch scratch) {
  constexpr int kRows = 6;  // of features, then of weights, that a lane reads
  constexpr int kAhead = 4;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int slice = static_cast<int>(blockIdx.x);
  const int first_image = static_cast<int>(blockIdx.z) * kTile + warp % 4 * 16;
  const int first_unit = warp / 4 * 32;
  const bool is_actor = blockIdx.y == 0;

  const float4* from[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const std::int64_t image = min(first_image + lane / 4 + 8 * i, batch - 1);
    const std::int64_t unit = first_unit + lane / 4 + 8 * (i - 2);
    const float* row = i < 2 ? scratch.features + image * num_features
                             : (is_actor ? w.actor : w.critic) + unit * num_features;
    from[i] = reinterpret_cast<const float4*>(row) + lane % 4;
  }
  const int num_chunks = num_features / kChunk;
  const int first = slice * num_chunks / kSlices;
  const int end = (slice + 1) * num_chunks / kSlices;
  float4 next[kAhead][kRows];
  const auto load = [&](float4(&rows)[kRows], int chunk) {
    if (chunk >= end) return;
#pragma unroll
    for (int i = 0; i < kRows; ++i) rows[i] = __ldg(from[i] + chunk * (kChunk / 4));
  };
  float sum[4][4] = {};
#pragma unroll
  for (int i = 0; i < kAhead; ++i) load(next[i], first + i);
  for (int start = first; start < end; start += kAhead) {
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (start + i >= end) break;
      const auto& v = next[i];
      const Split a[2][4] = {{split(v[0].x), split(v[1].x), split(v[0].y), split(v[1].y)},
                             {split(v[0].z), split(v[1].z), split(v[0].w), split(v[1].w)}};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        mma_fp32(sum[n], a[0], {split(v[2 + n].x), split(v[2 + n].y)});
        mma_fp32(sum[n], a[1], {split(v[2 + n].z), split(v[2 + n].w)});
      }
      load(next[i], start + i + kAhead);
    }
  }
  const int num_images = static_cast<int>(gridDim.z) * kTile;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int image = first_image + lane / 4 + 8 * half;
      const int unit = (is_actor ? 0 : kHidden) + first_unit + n * 8 + lane % 4 * 2;
      auto* to = reinterpret_cast<float2*>(
          scratch.parts + static_cast<std::int64_t>(slice * num_images + image) * kUnits + unit);
      *to = make_float2(sum[n][2 * half], sum[n][2 * half + 1]);
    }
  }
}

// ---- decide ------------------------------------------------------------------------------------

constexpr int kDecideWarps = 16;
constexpr int kGroups = 32 * kDecideWarps / kUnits;  // of slices, each added up by itself
constexpr int kMaxActions = 32;

// A block per image adds up its slices, in their order, and goes on to the heads.
__global__ void __launch_bounds__(32 * kDecideWarps)
    decide_all(Weights w, InferenceJob job, int num_images, const float* parts) {
  __shared__ float sums[kGroups][kUnits];
  __shared__ float hidden[kUnits];
  __shared__ float outputs[kMaxActions + 1];  // the logits, then the value
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int image = static_cast<int>(blockIdx.x);
  constexpr int kEach = kSlices / kGroups;
  const int unit = thread % kUnits;
  const int group = thread / kUnits;
  const float* from =
      parts + (static_cast<std::int64_t>(group) * kEach * num_images + image) * kUnits + unit;
  float total = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) total += from[static_cast<std::int64_t>(i) * num_images * kUnits];
  sums[group][unit] = total;
  __syncthreads();
  if (thread < kUnits) {
    total = (thread < kHidden ? w.actor_bias : w.critic_bias)[thread % kHidden];
    for (int g = 0; g < kGroups; ++g) total += sums[g][thread];
    hidden[thread] = tanhf(total);
  }
  __syncthreads();
  for (int i = warp; i <= job.num_actions; i += kDecideWarps) {
    const bool is_value = i == job.num_actions;
    const float* row = is_value ? w.value : w.policy + i * kHidden;
    const float* seen = hidden + (is_value ? kHidden : 0);
    const float dot = warp_sum(seen[lane] * row[lane] + seen[lane + 32] * row[lane + 32]);
    if (lane == 0) outputs[i] = dot + (is_value ? w.value_bias[0] : w.policy_bias[i]);
  }
  __syncthreads();
  if (warp != 0) return;
  decide(job, image, outputs[min(lane, job.num_actions)], outputs[job.num_actions]);
}

int num_multiprocessors() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "asking for multiprocessors");
  return count;
}

}  // namespace

bool can_infer(const Shape& shape, int obs_channels) {
  if (obs_channels != kIn || (shape.channels != 32 && shape.channels != 64)) return false;
  if (shape.num_actions > kMaxActions) return false;
  return SeeLayout::bytes(shape, 1) <= std::size_t{kMaxSeeBytes};
}

void infer(const Shape& shape, const Weights& weights, const InferenceJob& job,
           const InferenceScratch& scratch, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  // Asked once: to do so each time would cost as much as a launch.
  static const cudaError_t allowed =
      cudaFuncSetAttribute(see, cudaFuncAttributeMaxDynamicSharedMemorySize, kMaxSeeBytes);
  check(allowed, "taking shared memory");
  static const int processors = num_multiprocessors();
  const int num_bands =
      std::clamp(processors / job.batch, 1, std::min(kMaxBands, shape.pooled_height() - 2));
  const auto batch = static_cast<unsigned>(job.batch);
  see<<<dim3(batch, static_cast<unsigned>(num_bands)), kSeeThreads,
        SeeLayout::bytes(shape, num_bands), queue>>>(shape, weights, job, scratch.features);
  const int tiles = inference_tiles(job.batch);
  think<<<dim3(kSlices, 2, static_cast<unsigned>(tiles)), 32 * kThinkWarps, 0, queue>>>(
      weights, job.batch, shape.num_features(), scratch);
  decide_all<<<batch, 32 * kDecideWarps, 0, queue>>>(weights, job, tiles * kTile, scratch.parts);
  check(cudaGetLastError(), "acting");
}

}  // namespace plr::cuda::grid_cnn

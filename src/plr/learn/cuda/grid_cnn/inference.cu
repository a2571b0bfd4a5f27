// Inference kernels of the grid CNN, in fp32.
//
// conv_trunk: three convolutions of one stripe of rows of an image.
//   Grid (images, stripes), 512 threads.  Shared memory (TrunkSmem): the stripe of the image, the
//   outputs of conv 1 and conv 2, and all convolution weights, transposed.  A thread block owns a
//   stripe of rows of the features and recomputes the rows above and below that they need.
//
// hidden_gemm_splitk: partial sums of the hidden units.
//   Grid (slices of the features, 2 hidden layers, tiles of 64 images), 256 threads, no shared
//   memory.  A thread block owns 64 images x 64 units of one slice; its warps, 4 x 2, own 16 images
//   x 32 units each.  fp32 products as three in tf32 (tf32.cuh).
//
// heads_and_sample: a thread block of 512 threads per image.
//   Shared memory: partial sums, hidden units, outputs.  Reduces the slices in order, applies tanh,
//   computes the heads with a warp per output, and samples the action in warp 0.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/common/obs_range.cuh"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/take_item.cuh"
#include "plr/learn/cuda/common/tf32.cuh"
#include "plr/learn/cuda/grid_cnn/inference.h"

namespace plr::cuda::grid_cnn {
namespace {

// ---- conv_trunk --------------------------------------------------------------------------------

constexpr int kTrunkThreads = 512;
constexpr int kMaxTrunkSmem = 160 * 1024;  // of the 227 KB of a Hopper, and below what Ampere has
constexpr int kMaxStripes = 4;             // thread blocks of an image

// The rows that a thread block computes: of the last convolution, and of all that they depend on.
struct RowStripe {
  int conv3_rows;             // of the whole image
  int first_row, rows;        // of the stripe, of the last convolution
  int conv1_columns;          // after the pool
  int image_row, image_rows;  // of the image
  int next_image_row;         // the first one of the next stripe, or the image's height

  __host__ __device__ RowStripe(const Shape& s, int stripe, int num_stripes) {
    const int pool_side = s.pool ? 2 : 1;
    conv3_rows = (s.height - 1) / pool_side - 2;
    first_row = stripe * conv3_rows / num_stripes;
    rows = (stripe + 1) * conv3_rows / num_stripes - first_row;
    conv1_columns = (s.width - 1) / pool_side;
    image_row = pool_side * first_row;
    image_rows = pool_side * (rows + 2) + 1;
    const bool is_last = stripe == num_stripes - 1;
    next_image_row = is_last ? s.height : pool_side * (first_row + rows);
  }
};

// Offsets in shared memory, in floats.  Weights are [in][out] with one float of padding, so that
// neither transposing nor reading them has bank conflicts; the inputs of a layer begin at multiples
// of four for vector loads.
struct TrunkSmem {
  int image, conv1, conv2, conv1_weights, conv2_weights, conv3_weights, total;

  __host__ __device__ TrunkSmem(const Shape& s, const RowStripe& stripe) {
    const auto rounded = [](int n) { return (n + 3) / 4 * 4; };
    image = 0;
    conv1 = rounded(stripe.image_rows * s.width * kObsChannels);
    // Runs of eight outputs may read a little beyond the last row.
    conv2 = conv1 + rounded((stripe.rows + 2) * stripe.conv1_columns * kConv1Channels) +
            8 * kConv1Channels;
    conv1_weights = conv2 +
                    rounded((stripe.rows + 1) * (stripe.conv1_columns - 1) * kConv2Channels) +
                    8 * kConv2Channels;
    conv2_weights = conv1_weights + 4 * kObsChannels * (kConv1Channels + 1);
    conv3_weights = conv2_weights + 4 * kConv1Channels * (kConv2Channels + 1);
    total = conv3_weights + 4 * kConv2Channels * (s.channels + 1);
  }
  // For the last stripe, which is the largest.
  static int bytes(const Shape& s, int num_stripes) {
    const TrunkSmem last(s, RowStripe(s, num_stripes - 1, num_stripes));
    return last.total * static_cast<int>(sizeof(float));
  }
};

// [out][in] in global memory -> [in][out + 1] in shared memory.
__device__ void transpose_to_shared(const float* from, int in, int out, float* to) {
  for (int i = static_cast<int>(threadIdx.x); i < in * out; i += kTrunkThreads) {
    to[(i % in) * (out + 1) + i / in] = from[i];
  }
}

// Converts the stripe to floats, and stores the rows from its first one to the next stripe's first
// one where the rollout keeps them.
__device__ void load_stripe(const Shape& s, const RowStripe& stripe, const InferenceJob& job,
                            const collect::InferenceItem& item, float* to) {
  const int row_bytes = s.width * kObsChannels;
  const int used = stripe.image_rows * row_bytes;
  const int stored = (stripe.next_image_row - stripe.image_row) * row_bytes;
  const int image_bytes = s.height * row_bytes;
  const int first_byte = stripe.image_row * row_bytes;
  const ObsRange<std::uint32_t> range(job, item.slot, image_bytes, first_byte, max(used, stored));
  std::uint8_t* history = history_of(job, item, image_bytes);
  std::uint8_t* store = history == nullptr ? nullptr : history + first_byte;
  for (int word = static_cast<int>(threadIdx.x); word < range.num_words; word += kTrunkThreads) {
    const std::uint32_t bytes = range.load(word);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = 4 * word + k - range.skew;
      const auto byte = static_cast<std::uint8_t>(bytes >> (8 * k));
      if (i >= 0 && i < used) to[i] = static_cast<float>(byte);
      if (i >= 0 && i < stored && store != nullptr) store[i] = byte;
    }
  }
}

// The first convolution, max pool if the network has one, and ReLU.  A thread computes one channel
// of one output at a time.
__device__ void conv1_pool_relu(const Shape& s, int rows, int columns, const float* image,
                                const float* weight, const float* bias, float* out) {
  const int pool_side = s.pool ? 2 : 1;
  for (int i = static_cast<int>(threadIdx.x); i < rows * columns * kConv1Channels;
       i += kTrunkThreads) {
    const int o = i % kConv1Channels;
    const int x = i / kConv1Channels % columns * pool_side;
    const int y = i / kConv1Channels / columns * pool_side;
    float best = 0;
    for (int dy = 0; dy < pool_side; ++dy) {
      for (int dx = 0; dx < pool_side; ++dx) {
        const float* patch = image + ((y + dy) * s.width + x + dx) * kObsChannels;
        float sum = bias[o];
#pragma unroll
        for (int j = 0; j < 4 * kObsChannels; ++j) {
          const float in =
              patch[(j / (2 * kObsChannels)) * s.width * kObsChannels + j % (2 * kObsChannels)];
          sum = fmaf(in, weight[j * (kConv1Channels + 1) + o], sum);
        }
        best = fmaxf(best, sum);
      }
    }
    out[i] = best;
  }
}

// A 2x2 convolution and ReLU over [rows + 1][columns + 1][IN].  A thread computes one channel of a
// run of eight consecutive outputs, which share the inputs that it reads; all lanes with
// consecutive channels read the same inputs.
template <int IN>
__device__ void conv2x2_relu(int rows, int columns, int out_channels, const float* in,
                             const float* weight, const float* bias, float* out) {
  constexpr int kRun = 8;
  const int runs = (columns + kRun - 1) / kRun;
  for (int i = static_cast<int>(threadIdx.x); i < rows * runs * out_channels; i += kTrunkThreads) {
    const int o = i % out_channels;
    const int x = i / out_channels % runs * kRun;
    const int y = i / out_channels / runs;
    float sum[kRun];
#pragma unroll
    for (int k = 0; k < kRun; ++k) sum[k] = bias[o];
    for (int dy = 0; dy < 2; ++dy) {
      const float* row = in + ((y + dy) * (columns + 1) + x) * IN;
      for (int c = 0; c < IN; c += 4) {
        float4 pixel[kRun + 1];  // four channels each
#pragma unroll
        for (int k = 0; k <= kRun; ++k) {
          pixel[k] = *reinterpret_cast<const float4*>(row + k * IN + c);
        }
#pragma unroll
        for (int dx = 0; dx < 2; ++dx) {
          const float* w = weight + ((dy * 2 + dx) * IN + c) * (out_channels + 1) + o;
          const float w0 = w[0];
          const float w1 = w[out_channels + 1];
          const float w2 = w[2 * (out_channels + 1)];
          const float w3 = w[3 * (out_channels + 1)];
#pragma unroll
          for (int k = 0; k < kRun; ++k) {
            sum[k] = fmaf(pixel[k + dx].x, w0, sum[k]);
            sum[k] = fmaf(pixel[k + dx].y, w1, sum[k]);
            sum[k] = fmaf(pixel[k + dx].z, w2, sum[k]);
            sum[k] = fmaf(pixel[k + dx].w, w3, sum[k]);
          }
        }
      }
    }
#pragma unroll
    for (int k = 0; k < kRun; ++k) {
      if (x + k < columns) out[(y * columns + x + k) * out_channels + o] = fmaxf(sum[k], 0.0F);
    }
  }
}

__global__ void __launch_bounds__(kTrunkThreads)
    conv_trunk(Shape s, Weights w, InferenceJob job, float* features) {
  extern __shared__ float4 aligned_memory[];
  auto* memory = reinterpret_cast<float*>(aligned_memory);
  const std::int64_t image = blockIdx.x;
  const RowStripe stripe(s, static_cast<int>(blockIdx.y), static_cast<int>(gridDim.y));
  const TrunkSmem smem(s, stripe);
  const collect::InferenceItem item =
      take_item(job, image, threadIdx.x == 0, /*copies=*/blockIdx.y == 0);
  load_stripe(s, stripe, job, item, memory + smem.image);
  transpose_to_shared(w.conv1, 4 * kObsChannels, kConv1Channels, memory + smem.conv1_weights);
  transpose_to_shared(w.conv2, 4 * kConv1Channels, kConv2Channels, memory + smem.conv2_weights);
  transpose_to_shared(w.conv3, 4 * kConv2Channels, s.channels, memory + smem.conv3_weights);
  __syncthreads();

  conv1_pool_relu(s, stripe.rows + 2, stripe.conv1_columns, memory + smem.image,
                  memory + smem.conv1_weights, w.conv1_bias, memory + smem.conv1);
  __syncthreads();
  conv2x2_relu<kConv1Channels>(stripe.rows + 1, stripe.conv1_columns - 1, kConv2Channels,
                               memory + smem.conv1, memory + smem.conv2_weights, w.conv2_bias,
                               memory + smem.conv2);
  __syncthreads();
  const std::int64_t row = image * stripe.conv3_rows + stripe.first_row;
  conv2x2_relu<kConv2Channels>(stripe.rows, stripe.conv1_columns - 2, s.channels,
                               memory + smem.conv2, memory + smem.conv3_weights, w.conv3_bias,
                               features + row * (stripe.conv1_columns - 2) * s.channels);
}

// ---- hidden_gemm_splitk ------------------------------------------------------------------------

constexpr int kHiddenWarps = 8;
constexpr int kChunk = 16;  // features that four lanes read in one load each

// The features may be summed in any order as long as images and units agree: a lane multiplies
// those that are consecutive in memory.
__global__ void __launch_bounds__(32 * kHiddenWarps)
    hidden_gemm_splitk(Weights w, int batch, int num_features, InferenceScratch scratch) {
  constexpr int kRows = 6;   // that a lane reads: two of features, then four of weights
  constexpr int kAhead = 4;  // chunks in flight
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int slice = static_cast<int>(blockIdx.x);
  const int first_image = static_cast<int>(blockIdx.z) * kInferenceTile + warp % 4 * 16;
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
  const int first = slice * num_chunks / kInferenceSlices;
  const int end = (slice + 1) * num_chunks / kInferenceSlices;
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
      const SplitFloat a[2][4] = {{split(v[0].x), split(v[1].x), split(v[0].y), split(v[1].y)},
                                  {split(v[0].z), split(v[1].z), split(v[0].w), split(v[1].w)}};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        mma_fp32(sum[n], a[0], {split(v[2 + n].x), split(v[2 + n].y)});
        mma_fp32(sum[n], a[1], {split(v[2 + n].z), split(v[2 + n].w)});
      }
      load(next[i], start + i + kAhead);
    }
  }
  const int num_images = static_cast<int>(gridDim.z) * kInferenceTile;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int image = first_image + lane / 4 + 8 * half;
      const int unit = (is_actor ? 0 : kHidden) + first_unit + n * 8 + lane % 4 * 2;
      auto* to = reinterpret_cast<float2*>(
          scratch.partials + static_cast<std::int64_t>(slice * num_images + image) * kUnits + unit);
      *to = make_float2(sum[n][2 * half], sum[n][2 * half + 1]);
    }
  }
}

// ---- heads_and_sample --------------------------------------------------------------------------

constexpr int kHeadWarps = 16;
constexpr int kSliceGroups = 32 * kHeadWarps / kUnits;  // of slices, each summed by other threads

__global__ void __launch_bounds__(32 * kHeadWarps)
    heads_and_sample(Weights w, InferenceJob job, int num_images, const float* partials) {
  __shared__ float sums[kSliceGroups][kUnits];
  __shared__ float hidden[kUnits];
  __shared__ float outputs[kMaxInferredActions + 1];  // the logits, then the value
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int image = static_cast<int>(blockIdx.x);

  // A thread sums the slices of one group for one unit; then the groups are added in order.
  constexpr int kSlicesPerGroup = kInferenceSlices / kSliceGroups;
  const int unit = thread % kUnits;
  const int group = thread / kUnits;
  const float* from =
      partials +
      (static_cast<std::int64_t>(group) * kSlicesPerGroup * num_images + image) * kUnits + unit;
  float total = 0;
#pragma unroll
  for (int i = 0; i < kSlicesPerGroup; ++i) {
    total += from[static_cast<std::int64_t>(i) * num_images * kUnits];
  }
  sums[group][unit] = total;
  __syncthreads();
  if (thread < kUnits) {
    total = (thread < kHidden ? w.actor_bias : w.critic_bias)[thread % kHidden];
    for (int g = 0; g < kSliceGroups; ++g) total += sums[g][thread];
    hidden[thread] = tanhf(total);
  }
  __syncthreads();
  for (int i = warp; i <= job.num_actions; i += kHeadWarps) {
    const bool is_value = i == job.num_actions;
    const float* row = is_value ? w.value : w.policy + i * kHidden;
    const float* units = hidden + (is_value ? kHidden : 0);
    const float dot = warp_sum(units[lane] * row[lane] + units[lane + 32] * row[lane + 32]);
    if (lane == 0) outputs[i] = dot + (is_value ? w.value_bias[0] : w.policy_bias[i]);
  }
  __syncthreads();
  if (warp != 0) return;
  sample_action(job, job.device_items[image], outputs[min(lane, job.num_actions)],
                outputs[job.num_actions]);
}

}  // namespace

bool can_infer(const Shape& shape, int obs_channels) {
  if (obs_channels != kObsChannels || (shape.channels != 32 && shape.channels != 64)) return false;
  if (shape.num_actions > kMaxInferredActions) return false;
  return TrunkSmem::bytes(shape, 1) <= kMaxTrunkSmem;
}

void infer(const Shape& shape, const Weights& weights, const InferenceJob& job,
           const InferenceScratch& scratch, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  require(conv_trunk, {.shared_bytes = kMaxTrunkSmem});
  const int num_stripes = std::clamp(num_multiprocessors() / job.batch, 1,
                                     std::min(kMaxStripes, shape.pooled_height() - 2));
  const auto batch = static_cast<unsigned>(job.batch);
  conv_trunk<<<dim3(batch, static_cast<unsigned>(num_stripes)), kTrunkThreads,
               static_cast<std::size_t>(TrunkSmem::bytes(shape, num_stripes)), queue>>>(
      shape, weights, job, scratch.features);
  const int tiles = inference_tiles(job.batch);
  hidden_gemm_splitk<<<dim3(kInferenceSlices, 2, static_cast<unsigned>(tiles)), 32 * kHiddenWarps,
                       0, queue>>>(weights, job.batch, shape.num_features(), scratch);
  heads_and_sample<<<batch, 32 * kHeadWarps, 0, queue>>>(weights, job, tiles * kInferenceTile,
                                                         scratch.partials);
  check(cudaGetLastError(), "inference with the grid CNN");
}

}  // namespace plr::cuda::grid_cnn

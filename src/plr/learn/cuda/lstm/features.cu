// Convolution and direction of the recurrent network, forward and backward, and the input weight.
//
// forward, backward: 256 threads; a thread block takes tiles of 16 observations with a stride of
//   the whole grid.  Shared memory: the codes of a tile as floats, scaled.  Thread t has filter
//   t % 16 and every 16th pixel of the tile from t / 16 on; the filter's weights, or the sums of
//   their gradients, are in its registers.  In backward the thread block then reduces these sums in
//   order and writes them as a row of partial sums.
// add_partials: 256 threads per 32 gradients reduce the rows in order.
// pack: a thread per element of the packed input weight.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/reduce_partials.cuh"
#include "plr/learn/cuda/lstm/features.h"
#include "plr/learn/cuda/lstm/numbers.cuh"

namespace plr::cuda::lstm {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 16;                    // observations
constexpr int kParts = kThreads / kFilters;  // of the pixels
constexpr int kMaxObsBytes = 736;            // a tile of them fits into 48 KB
constexpr int kMaxBlocks = 264;              // two per multiprocessor of a Hopper
constexpr int kFilterSums = kTaps + 1;       // and the bias
constexpr int kAtOnce = 3;                   // pixels whose gradients a thread loads at once
constexpr int kConvSums = kFilters * kFilterSums;

// Shape's numbers for device code.
struct Sizes {
  int width, channels, directions, conv_width, conv_pixels, num_features, pitch, obs_bytes;

  explicit Sizes(const Shape& s)
      : width(s.width),
        channels(s.channels),
        directions(s.directions),
        conv_width(s.conv_width()),
        conv_pixels(s.conv_pixels()),
        num_features(s.num_features()),
        pitch(s.feature_pitch()),
        obs_bytes(s.obs_bytes()) {}
};

// Copies a tile of observations, from an address that 16 divides, to shared memory: image codes are
// scaled, directions are not.
__device__ void load_tile(const Sizes& sizes, const std::uint8_t* obs, int count, float* tile) {
  const int bytes = count * sizes.obs_bytes;
  const auto put = [&](int i, std::uint32_t byte) {
    const bool is_direction = sizes.directions > 0 && i % sizes.channels == sizes.channels - 1;
    const auto code = static_cast<float>(byte);
    tile[i] = is_direction ? code : code / kCodeScale;
  };
  for (int i = static_cast<int>(threadIdx.x); i < bytes / 4; i += kThreads) {
    const std::uint32_t word = __ldg(reinterpret_cast<const std::uint32_t*>(obs) + i);
#pragma unroll
    for (int k = 0; k < 4; ++k) put(4 * i + k, word >> 8 * k & 0xff);
  }
  for (int i = bytes / 4 * 4 + static_cast<int>(threadIdx.x); i < bytes; i += kThreads) {
    put(i, obs[i]);
  }
}

// Calls use(tap, code) for all codes below the kernel at a pixel.
template <class Use>
__device__ void for_taps(const Sizes& sizes, const float* obs, int pixel, Use use) {
  const int y = pixel / sizes.conv_width;
  const int x = pixel - y * sizes.conv_width;
#pragma unroll
  for (int tap = 0; tap < kTapSide * kTapSide; ++tap) {
    const int cell = (y + tap / kTapSide) * sizes.width + x + tap % kTapSide;
#pragma unroll
    for (int k = 0; k < kImageChannels; ++k) {
      use(tap * kImageChannels + k, obs[cell * sizes.channels + k]);
    }
  }
}

template <class Io>
__global__ void __launch_bounds__(kThreads)
    forward(const Sizes sizes, const Weights w, const std::uint8_t* obs, int rows, Io* features) {
  extern __shared__ float tile[];
  const int filter = static_cast<int>(threadIdx.x) % kFilters;
  const int part = static_cast<int>(threadIdx.x) / kFilters;
  float weight[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) weight[k] = w.conv[filter * kTaps + k];
  const float bias = w.conv_bias[filter];
  const int conv_features = sizes.conv_pixels * kFilters;
  for (int first = static_cast<int>(blockIdx.x) * kTile; first < rows;
       first += static_cast<int>(gridDim.x) * kTile) {
    const int count = min(kTile, rows - first);
    __syncthreads();
    load_tile(sizes, obs + static_cast<std::int64_t>(first) * sizes.obs_bytes, count, tile);
    __syncthreads();
    Io* out = features + static_cast<std::int64_t>(first) * sizes.pitch;
    for (int i = part; i < count * sizes.conv_pixels; i += kParts) {
      const int row = i / sizes.conv_pixels;
      const int pixel = i - row * sizes.conv_pixels;
      float sum = bias;
      for_taps(sizes, tile + row * sizes.obs_bytes, pixel,
               [&](int k, float code) { sum = fmaf(weight[k], code, sum); });
      store(out + row * sizes.pitch + pixel * kFilters + filter, fmaxf(sum, 0.0F));
    }
    // The direction's units, the one, and the zeros.
    const int others = sizes.pitch - conv_features;
    for (int i = static_cast<int>(threadIdx.x); i < count * others; i += kThreads) {
      const int row = i / others;
      const int feature = conv_features + i - row * others;
      float v = feature == sizes.num_features ? 1.0F : 0.0F;
      if (feature < sizes.num_features) {
        const int unit = feature - conv_features;
        const auto direction = static_cast<int>(tile[row * sizes.obs_bytes + sizes.channels - 1]);
        v = w.direction_bias[unit];
        if (direction < sizes.directions) v += w.direction[unit * sizes.directions + direction];
      }
      store(out + row * sizes.pitch + feature, v);
    }
  }
}

template <class Io>
__global__ void __launch_bounds__(kThreads)
    backward(const Sizes sizes, const std::uint8_t* obs, int rows, const Io* features,
             const Io* features_grad, int num_sums, float* partials) {
  extern __shared__ float tile[];
  __shared__ float part_sums[kParts][kFilters];
  const int thread = static_cast<int>(threadIdx.x);
  const int filter = thread % kFilters;
  const int part = thread / kFilters;
  const int conv_features = sizes.conv_pixels * kFilters;
  // Thread t below 5 (directions + 1) has a sum of the direction's layer, the bias last.
  const int unit = thread / (sizes.directions + 1);
  const int direction = thread % (sizes.directions + 1);
  const bool has_direction_sum = sizes.directions > 0 && unit < kDirectionUnits;
  float direction_sum = 0;
  float sums[kFilterSums] = {};
  for (int first = static_cast<int>(blockIdx.x) * kTile; first < rows;
       first += static_cast<int>(gridDim.x) * kTile) {
    const int count = min(kTile, rows - first);
    __syncthreads();
    load_tile(sizes, obs + static_cast<std::int64_t>(first) * sizes.obs_bytes, count, tile);
    __syncthreads();
    const std::int64_t offset = static_cast<std::int64_t>(first) * sizes.pitch;
    const int pixels = count * sizes.conv_pixels;
    for (int i = part; i < pixels; i += kAtOnce * kParts) {
      float grads[kAtOnce];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const int j = min(i + n * kParts, pixels - 1);
        const int row = j / sizes.conv_pixels;
        const int pixel = j - row * sizes.conv_pixels;
        const std::int64_t at = offset + row * sizes.pitch + pixel * kFilters + filter;
        const float grad = to_float(features[at]) > 0 ? to_float(features_grad[at]) : 0.0F;
        grads[n] = i + n * kParts < pixels ? grad : 0.0F;
      }
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        const int j = min(i + n * kParts, pixels - 1);
        const int row = j / sizes.conv_pixels;
        for_taps(sizes, tile + row * sizes.obs_bytes, j - row * sizes.conv_pixels,
                 [&](int k, float code) { sums[k] = fmaf(grads[n], code, sums[k]); });
        sums[kTaps] += grads[n];
      }
    }
    if (has_direction_sum) {
      for (int row = 0; row < count; ++row) {
        const auto of_row = static_cast<int>(tile[row * sizes.obs_bytes + sizes.channels - 1]);
        if (direction != sizes.directions && direction != of_row) continue;
        direction_sum += to_float(features_grad[offset + row * sizes.pitch + conv_features + unit]);
      }
    }
  }
  float* out = partials + static_cast<std::int64_t>(blockIdx.x) * num_sums;
#pragma unroll
  for (int k = 0; k < kFilterSums; ++k) {
    __syncthreads();
    part_sums[part][filter] = sums[k];
    __syncthreads();
    if (part == 0) {
      float sum = 0;
#pragma unroll
      for (int p = 0; p < kParts; ++p) sum += part_sums[p][filter];
      out[filter * kFilterSums + k] = sum;
    }
  }
  if (has_direction_sum) out[kConvSums + thread] = direction_sum;
}

__global__ void __launch_bounds__(kReduceThreads)
    add_partials(const float* partials, int rows, int num_sums, int directions,
                 const Gradients gradients) {
  const int i =
      static_cast<int>(blockIdx.x) * kReduceWidth + static_cast<int>(threadIdx.x) % kReduceWidth;
  const bool is_inside = i < num_sums;
  const float sum =
      reduce_partials<SliceOrder::kContiguous>(partials + i, num_sums, rows, is_inside);
  if (static_cast<int>(threadIdx.x) >= kReduceWidth || !is_inside) return;
  if (i < kConvSums) {
    const int filter = i / kFilterSums;
    const int k = i % kFilterSums;
    *(k == kTaps ? gradients.conv_bias + filter : gradients.conv + filter * kTaps + k) += sum;
    return;
  }
  const int unit = (i - kConvSums) / (directions + 1);
  const int direction = (i - kConvSums) % (directions + 1);
  *(direction == directions ? gradients.direction_bias + unit
                            : gradients.direction + unit * directions + direction) += sum;
}

template <class Io>
__global__ void __launch_bounds__(kThreads)
    pack(const Weights w, int units, int num_features, int pitch, int count, Io* packed) {
  const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  const int packed_row = i / pitch;
  const int feature = i - packed_row * pitch;
  const int row = packed_row % 4 * units + packed_row / 4;
  float v = feature == num_features ? w.input_bias[row] : 0.0F;
  if (feature < num_features) v = w.input[static_cast<std::int64_t>(row) * num_features + feature];
  store(packed + i, v);
}

}  // namespace

bool can_compute_features(const Shape& s) {
  return s.channels == kImageChannels + (s.directions > 0 ? 1 : 0) && s.height >= kTapSide &&
         s.width >= kTapSide && s.obs_bytes() <= kMaxObsBytes &&
         kDirectionUnits * (s.directions + 1) <= kThreads;
}

int feature_blocks(int rows) { return std::min((rows + kTile - 1) / kTile, kMaxBlocks); }

int feature_sums(const Shape& shape) {
  return kConvSums + (shape.directions > 0 ? kDirectionUnits * (shape.directions + 1) : 0);
}

void compute_features(const FeaturePass& pass, void* features, void* stream) {
  const auto blocks = static_cast<unsigned>(feature_blocks(pass.rows));
  const std::size_t shared = sizeof(float) * kTile * pass.shape.obs_bytes();
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto launch = [&]<class Io>(Io* out) {
    forward<<<blocks, kThreads, shared, queue>>>(Sizes(pass.shape), pass.weights, pass.obs,
                                                 pass.rows, out);
  };
  if (pass.numbers == Numbers::kExact) {
    launch(static_cast<Exact::Io*>(features));
  } else {
    launch(static_cast<Bf16::Io*>(features));
  }
  check(cudaGetLastError(), "the convolution of the recurrent network");
}

void features_backward(const FeaturePass& pass, const void* features, const void* features_grad,
                       float* partials, const Gradients& gradients, void* stream) {
  const int blocks = feature_blocks(pass.rows);
  const int num_sums = feature_sums(pass.shape);
  const std::size_t shared = sizeof(float) * kTile * pass.shape.obs_bytes();
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto launch = [&]<class Io>(const Io* in) {
    backward<<<static_cast<unsigned>(blocks), kThreads, shared, queue>>>(
        Sizes(pass.shape), pass.obs, pass.rows, in, static_cast<const Io*>(features_grad), num_sums,
        partials);
  };
  if (pass.numbers == Numbers::kExact) {
    launch(static_cast<const Exact::Io*>(features));
  } else {
    launch(static_cast<const Bf16::Io*>(features));
  }
  const auto reduce_blocks = static_cast<unsigned>((num_sums + kReduceWidth - 1) / kReduceWidth);
  add_partials<<<reduce_blocks, kReduceThreads, 0, queue>>>(partials, blocks, num_sums,
                                                            pass.shape.directions, gradients);
  check(cudaGetLastError(), "the convolution's gradient of the recurrent network");
}

void pack_input_weight(const Shape& shape, Numbers numbers, const Weights& weights, void* packed,
                       void* stream) {
  const int count = 4 * shape.units * shape.feature_pitch();
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto launch = [&]<class Io>(Io* out) {
    pack<<<blocks, kThreads, 0, queue>>>(weights, shape.units, shape.num_features(),
                                         shape.feature_pitch(), count, out);
  };
  if (numbers == Numbers::kExact) {
    launch(static_cast<Exact::Io*>(packed));
  } else {
    launch(static_cast<Bf16::Io*>(packed));
  }
  check(cudaGetLastError(), "packing the input weight of the recurrent network");
}

}  // namespace plr::cuda::lstm

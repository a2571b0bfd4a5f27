// How the training kernels of the grid CNN lay out images in shared memory and split them into
// tiles.
//
// All layers have the row pitch of the first one, in pixels, so that a pixel's neighbor is the same
// number of pixels away in each of them, and a tile is 16 consecutive pixels whatever the width.
// For 19x19 with the pool:
//
//   conv 1, 9 x 9       conv 2, 8 x 8       conv 3, 7 x 7
//   # # # # # # # # #   # # # # # # # # .   # # # # # # # . .
//   # # # # # # # # #   # # # # # # # # .   # # # # # # # . .
//   ...                 ...                 ...
//
// Pixels marked '.' are padding.  Their gradients are zero, and zeros lie before the first and
// after the last row: no convolution has to know where a row begins or ends.
//
// The observation itself is stored in bf16 with a fourth channel that is one, and a second time
// shifted by one pixel: two neighboring pixels, half of a 2x2 patch, are then 16 aligned bytes of
// one of the two copies.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/grid_cnn/training.h"

namespace plr::cuda::grid_cnn {

constexpr int kTile = 16;     // pixels
constexpr int kMaxSide = 25;  // of an image

constexpr int kConvWarps = 8;
constexpr int kConvThreads = 32 * kConvWarps;

// Bytes per pixel, with 16 of padding, so that the eight rows of an ldmatrix lie in different
// banks.
constexpr int kConv1Pitch = 2 * kConv1Channels + 16;
constexpr int kConv2Pitch = 2 * kConv2Channels + 16;
__host__ __device__ constexpr int conv3_pitch(int channels) { return 2 * channels + 16; }

// n / divisor by a multiplication: exact while n * (divisor - 1) < 65536, which holds for all
// pixels of four images of kMaxSide.
struct Divisor {
  unsigned inverse;
  __host__ __device__ explicit Divisor(int divisor)
      : inverse((65536U + static_cast<unsigned>(divisor) - 1) / static_cast<unsigned>(divisor)) {}
  __device__ int operator()(int n) const {
    return static_cast<int>(static_cast<unsigned>(n) * inverse >> 16);
  }
};

struct Tiling {
  int height, width;               // of the image
  int pool_side;                   // of a pool window, 2 or 1
  int rows, pitch;                 // of the output of conv 1, after the pool
  int image_pitch, image_bytes;    // of one copy of the image
  int conv1_pixels, conv2_pixels;  // with padding
  int conv1_tiles, conv2_tiles, conv3_tiles;
  Divisor by_height, by_width, by_pitch, by_conv1_tiles, by_conv2_tiles, by_conv3_tiles;

  __host__ __device__ explicit Tiling(const Shape& s)
      : height(s.height),
        width(s.width),
        pool_side(s.pool ? 2 : 1),
        rows(s.pool ? (s.height - 1) / 2 : s.height - 1),
        pitch(s.pool ? (s.width - 1) / 2 : s.width - 1),
        image_pitch((s.width + 1) / 2 * 16),
        image_bytes(s.height * image_pitch),
        conv1_pixels(rows * pitch),
        conv2_pixels((rows - 1) * pitch),
        conv1_tiles((conv1_pixels + kTile - 1) / kTile),
        conv2_tiles((conv2_pixels - 1 + kTile - 1) / kTile),
        conv3_tiles(((rows - 2) * pitch - 2 + kTile - 1) / kTile),
        by_height(height),
        by_width(width),
        by_pitch(pitch),
        by_conv1_tiles(conv1_tiles),
        by_conv2_tiles(conv2_tiles),
        by_conv3_tiles(conv3_tiles) {}

  // Zero pixels before the first row of a gradient.
  __host__ __device__ int guard() const { return pitch + 1; }

  // Bytes of shared memory for one image.
  __host__ __device__ int conv1_bytes() const {
    return (conv2_tiles * kTile + pitch + 1) * kConv1Pitch;
  }
  __host__ __device__ int conv2_bytes() const {
    return (conv3_tiles * kTile + pitch + 2) * kConv2Pitch;
  }
  __host__ __device__ int argmax_bytes() const { return conv1_tiles * kTile * kConv1Channels; }
  __host__ __device__ int conv2_grad_bytes() const {
    return (guard() + conv1_tiles * kTile) * kConv2Pitch;
  }
  __host__ __device__ int conv3_grad_bytes(int channels) const {
    return (guard() + conv2_tiles * kTile) * conv3_pitch(channels);
  }
  // Distance in pixels from an output to the input at tap 0..3 of a 2x2 kernel.
  __device__ int tap_offset(int tap) const { return (tap / 2) * pitch + tap % 2; }
};

__device__ inline void zero_memory(char* memory, int bytes) {
  for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes; i += kConvThreads * 16) {
    *reinterpret_cast<uint4*>(memory + i) = {};
  }
}

// ---- images ------------------------------------------------------------------------------------

// Shared memory of a thread block, so that two fit on a Hopper multiprocessor.
constexpr int kBlockBytes = 112 * 1024;

// How many images a thread block processes at once, at most four, given the bytes that it needs.
template <class BytesFor>
int choose_images_at_once(BytesFor bytes_for) {
  int images = 4;
  while (images > 1 && bytes_for(images) > kBlockBytes) --images;
  return images;
}

// Observations in global memory, copied from the last multiple of 16 bytes before them on.
struct RawObs {
  const char* data;
  int image_bytes;
  bool are_floats;
  const char* end;

  __device__ RawObs(const Tiling& tiling, const TrainPass& pass)
      : data(static_cast<const char*>(pass.obs)),
        image_bytes(tiling.height * tiling.width * kObsChannels * (pass.obs_are_floats ? 4 : 1)),
        are_floats(pass.obs_are_floats),
        end(begin(pass.batch)) {}

  __device__ const char* begin(int image) const {
    return data + static_cast<std::int64_t>(image) * image_bytes;
  }
  // Bytes between the copy's start and the image's.
  __device__ int skew(int image) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(begin(image)) % 16);
  }
  // Starts to copy `count` images and what follows them up to a multiple of 16 bytes, but nothing
  // beyond the last observation, where there may be no memory.
  __device__ void load(int image, int count, char* to) const {
    const char* start = begin(image) - skew(image);
    const int size = skew(image) + count * image_bytes;
    const int whole = (end - start < size + 15 ? size : size + 15) / 16 * 16;
    const auto thread = static_cast<int>(threadIdx.x);
    for (int i = thread * 16; i < whole; i += kConvThreads * 16) {
      cp_async_16(shared_address(to + i), start + i);
    }
    if (whole + thread < size) to[whole + thread] = start[whole + thread];
  }
};

__host__ __device__ inline int raw_bytes(const Tiling& tiling, bool are_floats, int images) {
  const int size = tiling.height * tiling.width * kObsChannels * (are_floats ? 4 : 1) * images;
  return (size + 15) / 16 * 16 + 16;
}

// Converts raw observations to bf16 images, and to copies shifted by one pixel.
template <class Code>
__device__ void make_images(const Tiling& tiling, const Code* raw, int count, char* to,
                            int stride) {
  const int pixels = count * tiling.height * tiling.width;
  for (int i = static_cast<int>(threadIdx.x); i < pixels; i += kConvThreads) {
    const int row = tiling.by_width(i);  // counted over all images
    const int x = i - row * tiling.width;
    const int image = tiling.by_height(row);
    const auto code = [&](int c) { return static_cast<float>(raw[i * kObsChannels + c]); };
    const uint2 pixel = {pack_bf16(code(0), code(1)), pack_bf16(code(2), 1.0F)};
    char* at = to + image * stride + (row - image * tiling.height) * tiling.image_pitch;
    *reinterpret_cast<uint2*>(at + x * 8) = pixel;
    if (x > 0) *reinterpret_cast<uint2*>(at + tiling.image_bytes + (x - 1) * 8) = pixel;
  }
}
__device__ inline void make_images(const Tiling& tiling, const RawObs& obs, const char* raw,
                                   int begin, int count, char* to, int stride) {
  raw += obs.skew(begin);
  if (obs.are_floats) {
    make_images(tiling, reinterpret_cast<const float*>(raw), count, to, stride);
  } else {
    make_images(tiling, reinterpret_cast<const std::uint8_t*>(raw), count, to, stride);
  }
}

// This lane's address for an ldmatrix of 16 patches of pool tap 0, one per output of conv 1: a
// matrix [pixel][16] whose columns are the patch's rows, then its pixels, then their channels.
__device__ inline std::uint32_t patch_address(const Tiling& tiling, std::uint32_t image, int tile,
                                              int lane) {
  const int pixel = min(tile * kTile + lane % 16, tiling.conv1_pixels - 1);
  const int y = tiling.by_pitch(pixel);
  const int x = (pixel - y * tiling.pitch) * tiling.pool_side;
  return image + (y * tiling.pool_side + lane / 16) * tiling.image_pitch +
         (x & 1) * tiling.image_bytes + (x & ~1) * 8;
}
// What is added for pool tap 0..3: a row further down, or the shifted copy.
__device__ inline std::uint32_t pool_tap_offset(const Tiling& tiling, int tap) {
  return (tap / 2) * tiling.image_pitch + (tap % 2) * tiling.image_bytes;
}

// ---- convolutions ------------------------------------------------------------------------------

// Weights of 16 output channels, two n-tiles of 8, as B fragments for products with K inputs.
//
// A lane has the results of four consecutive channels, from 4 * (lane % 4) on, so that it can store
// them at once: the n-tiles' columns are therefore a permutation of the channels (fragment_word()).
template <int K>
struct WeightFragments {
  std::uint32_t weight[K / 16][4];
  float4 bias;

  // weights: words in the order of fragment_word().
  __device__ WeightFragments(const std::uint32_t* weights, const float* biases, int first_channel,
                             int lane) {
#pragma unroll
    for (int k = 0; k < K / 16; ++k) {
      const uint4 words =
          reinterpret_cast<const uint4*>(weights)[(first_channel / 16 * (K / 16) + k) * 32 + lane];
      weight[k][0] = words.x;
      weight[k][1] = words.y;
      weight[k][2] = words.z;
      weight[k][3] = words.w;
    }
    bias = *reinterpret_cast<const float4*>(biases + first_channel + 4 * (lane % 4));
  }
};

// The weights in a word: those of this channel, and of inputs k and k + 1.
struct FragmentWord {
  int channel, k;
};
__device__ inline FragmentWord fragment_word(int word, int inputs) {
  const int lane = word / 4 % 32;
  const int group = word / 128 / (inputs / 16);  // of 16 channels
  return {group * 16 + 4 * (lane / 8) + word / 2 % 2 * 2 + lane / 4 % 2,
          word / 128 % (inputs / 16) * 16 + word % 2 * 8 + lane % 4 * 2};
}

// Results of 16 pixels and 16 channels, initialized with the bias.
struct Accumulator {
  float tile[2][4];

  __device__ explicit Accumulator(const float4& bias)
      : tile{{bias.x, bias.y, bias.x, bias.y}, {bias.z, bias.w, bias.z, bias.w}} {}

  __device__ void add(const std::uint32_t (&a)[4], const std::uint32_t (&b)[4]) {
    mma_bf16(tile[0], a, b[0], b[1]);
    mma_bf16(tile[1], a, b[2], b[3]);
  }
  // Of pixel lane / 4 + 8 * half: channel i of this lane's four.
  __device__ float at(int half, int i) const { return tile[i / 2][2 * half + i % 2]; }
};

// Propagates NaN, so that the check for finite losses sees it.
__device__ inline float relu(float x) { return max_nan(x, 0); }

// Two gradients in bf16, each zero where its activation, in bf16 and never negative, is zero.
// Adding 0x7FFF sets the top bit of a half that is not zero.
__device__ inline std::uint32_t mask_by_relu(std::uint32_t grads, std::uint32_t activations) {
  return grads & ((activations + 0x7FFF7FFFU) >> 15 & 0x00010001U) * 0xFFFFU;
}

// The first convolution for 16 pixels, max pool over POOL_TAPS, and ReLU.  If SAVES_ARGMAX, also
// stores which tap, 1 to 4, was the largest for each pixel and channel: the first of equal ones, as
// in libtorch, and 0 where ReLU returned zero.
template <int POOL_TAPS, bool SAVES_ARGMAX>
__device__ inline void conv1_pool_relu(const Tiling& tiling, std::uint32_t image, int tile,
                                       int lane, const WeightFragments<16>& weights, char* conv1,
                                       char* argmax) {
  const std::uint32_t patches = patch_address(tiling, image, tile, lane);
  float best[2][4] = {};
  std::uint32_t best_tap[2][4] = {};
#pragma unroll
  for (int tap = 0; tap < POOL_TAPS; ++tap) {
    std::uint32_t a[4];
    ldmatrix_x4(a, patches + pool_tap_offset(tiling, tap));
    Accumulator sums(weights.bias);
    sums.add(a, weights.weight[0]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float& largest = best[i / 4][i % 4];
      const float sum = sums.at(i / 4, i % 4);
      if constexpr (SAVES_ARGMAX) {
        const bool is_larger = !(sum <= largest);  // also if NaN
        largest = is_larger ? sum : largest;
        best_tap[i / 4][i % 4] = is_larger ? tap + 1 : best_tap[i / 4][i % 4];
      } else {
        largest = max_nan(largest, sum);
      }
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int pixel = tile * kTile + 8 * half + lane / 4;
    if (pixel >= tiling.conv1_pixels) continue;
    *reinterpret_cast<uint2*>(conv1 + pixel * kConv1Pitch + lane % 4 * 8) = {
        pack_bf16(best[half][0], best[half][1]), pack_bf16(best[half][2], best[half][3])};
  }
  if constexpr (SAVES_ARGMAX) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int pixel = tile * kTile + 8 * half + lane / 4;
      if (pixel >= tiling.conv1_pixels) continue;
      const std::uint32_t (&taps)[4] = best_tap[half];
      *reinterpret_cast<std::uint32_t*>(argmax + pixel * kConv1Channels + lane % 4 * 4) =
          taps[0] | taps[1] << 8 | taps[2] << 16 | taps[3] << 24;
    }
  }
}

}  // namespace plr::cuda::grid_cnn

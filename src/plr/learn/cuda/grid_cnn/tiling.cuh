// How do MiniGrid's images lie in the shared memory of the kernels that learn?
//
// All layers have the row pitch of the first, in pixels, so that a pixel's neighbour is the same
// number of pixels away in each of them, and a tile is 16 pixels in a row whatever the image's
// width.  For 19x19 with the pool:
//
//   first, 9 x 9     second, 8 x 8    third, 7 x 7
//   # # # # # # # # #   # # # # # # # # .   # # # # # # # . .
//   # # # # # # # # #   # # # # # # # # .   # # # # # # # . .
//   ...                 ...                 ...
//
// Gradients of pixels marked '.' are zero, and zeros lie before the first and behind the last row:
// no convolution need know where a row begins or ends.
//
// The image itself lies there in bf16 with a fourth channel that is one, and a second time shifted
// by one pixel: so two pixels side by side, half a 2x2 patch, are 16 aligned bytes of one of them.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/grid_cnn/training.h"

namespace plr::cuda::grid_cnn {

constexpr int kIn = 3;
constexpr int kFirst = 16;   // channels after the first convolution
constexpr int kSecond = 32;  // and after the second
constexpr int kHidden = 64;
constexpr int kUnits = 2 * kHidden;
constexpr int kTile = 16;     // pixels
constexpr int kMaxSide = 25;  // of an image

constexpr int kConvWarps = 8;
constexpr int kConvThreads = 32 * kConvWarps;

// Bytes from pixel to pixel, with 16 of padding, so that the eight rows of a matrix lie in
// different banks.
constexpr int kFirstPitch = 2 * kFirst + 16;
constexpr int kSecondPitch = 2 * kSecond + 16;
__host__ __device__ constexpr int third_pitch(int channels) { return 2 * channels + 16; }

// n / divisor for small n: exact while n * (divisor - 1) < 65536, as for all pixels of four images
// of kMaxSide.
struct Divisor {
  unsigned inverse;
  __host__ __device__ explicit Divisor(int divisor)
      : inverse((65536U + static_cast<unsigned>(divisor) - 1) / static_cast<unsigned>(divisor)) {}
  __device__ int operator()(int n) const {
    return static_cast<int>(static_cast<unsigned>(n) * inverse >> 16);
  }
};

struct Grid {
  int height, width;  // of the image
  int side;           // of the pool's windows, 2 or 1
  int rows, pitch;    // of the first layer
  int image_pitch, image_bytes;
  int first_pixels, second_pixels;  // with those that do not count
  int first_tiles, second_tiles, third_tiles;
  Divisor by_height, by_width, by_pitch, by_first_tiles, by_second_tiles, by_third_tiles;

  __host__ __device__ explicit Grid(const Shape& s)
      : height(s.height),
        width(s.width),
        side(s.pool ? 2 : 1),
        rows(s.pool ? (s.height - 1) / 2 : s.height - 1),
        pitch(s.pool ? (s.width - 1) / 2 : s.width - 1),
        image_pitch((s.width + 1) / 2 * 16),
        image_bytes(s.height * image_pitch),
        first_pixels(rows * pitch),
        second_pixels((rows - 1) * pitch),
        first_tiles((first_pixels + kTile - 1) / kTile),
        second_tiles((second_pixels - 1 + kTile - 1) / kTile),
        third_tiles(((rows - 2) * pitch - 2 + kTile - 1) / kTile),
        by_height(height),
        by_width(width),
        by_pitch(pitch),
        by_first_tiles(first_tiles),
        by_second_tiles(second_tiles),
        by_third_tiles(third_tiles) {}

  __host__ __device__ int guard() const { return pitch + 1; }  // pixels
  __host__ __device__ int first_bytes() const {
    return (second_tiles * kTile + pitch + 1) * kFirstPitch;
  }
  __host__ __device__ int second_bytes() const {
    return (third_tiles * kTile + pitch + 2) * kSecondPitch;
  }
  __host__ __device__ int winner_bytes() const { return first_tiles * kTile * kFirst; }
  __host__ __device__ int second_grad_bytes() const {
    return (guard() + first_tiles * kTile) * kSecondPitch;
  }
  __host__ __device__ int third_grad_bytes(int channels) const {
    return (guard() + second_tiles * kTile) * third_pitch(channels);
  }
  // How far away the input of place 0..3 of a 2x2 kernel is, in pixels.
  __device__ int step(int place) const { return (place / 2) * pitch + place % 2; }
};

__device__ inline void zero_memory(char* memory, int bytes) {
  for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes; i += kConvThreads * 16) {
    *reinterpret_cast<uint4*>(memory + i) = {};
  }
}

// ---- images ------------------------------------------------------------------------------------

// Of a block, so that a multiprocessor of Hopper has room for two.
constexpr int kBlockBytes = 112 * 1024;

// How many images a block takes at once, given the bytes that it needs for them.
template <class BytesOf>
int images_at_once(BytesOf bytes_of) {
  int images = 4;
  while (images > 1 && bytes_of(images) > kBlockBytes) --images;
  return images;
}

// Observations as they lie in global memory, from the last multiple of 16 bytes before them on.
struct RawObs {
  const char* from;
  int image_bytes;
  bool are_floats;
  const char* end;

  __device__ RawObs(const Grid& grid, const TrainPass& pass)
      : from(static_cast<const char*>(pass.obs)),
        image_bytes(grid.height * grid.width * kIn * (pass.obs_are_floats ? 4 : 1)),
        are_floats(pass.obs_are_floats),
        end(begin(pass.batch)) {}

  __device__ const char* begin(int image) const {
    return from + static_cast<std::int64_t>(image) * image_bytes;
  }
  __device__ int skew(int image) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(begin(image)) % 16);
  }
  // Begins to copy `count` images, and what follows them up to a multiple of 16 bytes; but nothing
  // behind the last of all, where there may be no memory.
  __device__ void load(int image, int count, char* to) const {
    const char* start = begin(image) - skew(image);
    const int size = skew(image) + count * image_bytes;
    const int whole = (end - start < size + 15 ? size : size + 15) / 16 * 16;
    const auto thread = static_cast<int>(threadIdx.x);
    for (int i = thread * 16; i < whole; i += kConvThreads * 16) {
      copy128(shared_address(to + i), start + i);
    }
    if (whole + thread < size) to[whole + thread] = start[whole + thread];
  }
};

__host__ __device__ inline int raw_bytes(const Grid& grid, bool are_floats, int images) {
  const int size = grid.height * grid.width * kIn * (are_floats ? 4 : 1) * images;
  return (size + 15) / 16 * 16 + 16;
}

// Makes images of raw observations, and the same shifted by a pixel.
template <class Code>
__device__ void make_images(const Grid& grid, const Code* raw, int count, char* to, int stride) {
  const int pixels = count * grid.height * grid.width;
  for (int i = static_cast<int>(threadIdx.x); i < pixels; i += kConvThreads) {
    const int row = grid.by_width(i);  // of all images
    const int x = i - row * grid.width;
    const int image = grid.by_height(row);
    const auto code = [&](int c) { return static_cast<float>(raw[i * kIn + c]); };
    const uint2 pixel = {pack_bf16(code(0), code(1)), pack_bf16(code(2), 1.0F)};
    char* at = to + image * stride + (row - image * grid.height) * grid.image_pitch;
    *reinterpret_cast<uint2*>(at + x * 8) = pixel;
    if (x > 0) *reinterpret_cast<uint2*>(at + grid.image_bytes + (x - 1) * 8) = pixel;
  }
}
__device__ inline void make_images(const Grid& grid, const RawObs& obs, const char* raw, int begin,
                                   int count, char* to, int stride) {
  raw += obs.skew(begin);
  if (obs.are_floats) {
    make_images(grid, reinterpret_cast<const float*>(raw), count, to, stride);
  } else {
    make_images(grid, reinterpret_cast<const std::uint8_t*>(raw), count, to, stride);
  }
}

// What this lane gives to load 16 patches of cell 0, for pixels of the first layer: as a matrix,
// [pixel][16], whose columns are rows of the patch, then pixels, then channels.
__device__ inline std::uint32_t patch_address(const Grid& grid, std::uint32_t image, int tile,
                                              int lane) {
  const int pixel = min(tile * kTile + lane % 16, grid.first_pixels - 1);
  const int y = grid.by_pitch(pixel);
  const int x = (pixel - y * grid.pitch) * grid.side;
  return image + (y * grid.side + lane / 16) * grid.image_pitch + (x & 1) * grid.image_bytes +
         (x & ~1) * 8;
}
__device__ inline std::uint32_t cell_offset(const Grid& grid, int cell) {
  return (cell / 2) * grid.image_pitch + (cell % 2) * grid.image_bytes;
}

// ---- convolutions ------------------------------------------------------------------------------

// Weights of 16 output channels, two tiles of 8, as a warp's lanes hold them for products with K
// inputs.  A lane has the results of four channels side by side, 4 * (lane % 4) and on: so columns
// of tiles and channels are not in the same order.
template <int K>
struct Columns {
  std::uint32_t weight[K / 16][4];
  float4 bias;

  // weights: words as column_word() orders them.
  __device__ Columns(const std::uint32_t* weights, const float* biases, int first_channel,
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

// Which weights are in a word: those of this channel, and of inputs k and k + 1.
struct ColumnWord {
  int channel, k;
};
__device__ inline ColumnWord column_word(int word, int inputs) {
  const int lane = word / 4 % 32;
  const int group = word / 128 / (inputs / 16);
  return {group * 16 + 4 * (lane / 8) + word / 2 % 2 * 2 + lane / 4 % 2,
          word / 128 % (inputs / 16) * 16 + word % 2 * 8 + lane % 4 * 2};
}

// The results of 16 pixels and 16 channels; begins with the bias.
struct Sums {
  float tile[2][4];

  __device__ explicit Sums(const float4& bias)
      : tile{{bias.x, bias.y, bias.x, bias.y}, {bias.z, bias.w, bias.z, bias.w}} {}

  __device__ void add(const std::uint32_t (&a)[4], const std::uint32_t (&b)[4]) {
    mma(tile[0], a, b[0], b[1]);
    mma(tile[1], a, b[2], b[3]);
  }
  // Of pixel lane / 4, or 8 more: channel i of this lane's four.
  __device__ float at(int half, int i) const { return tile[i / 2][2 * half + i % 2]; }
};

// NaN stays, so that nothing hides it from those who look for it.
__device__ inline float relu(float x) { return max_or_nan(x, 0); }

// Two gradients in bf16, or zeros where what was seen, in bf16 too and never negative, is zero.
__device__ inline std::uint32_t where_seen(std::uint32_t grads, std::uint32_t seen) {
  return grads & ((seen + 0x7FFF7FFFU) >> 15 & 0x00010001U) * 0xFFFFU;
}

// Writes 16 pixels of the first layer.
__device__ inline void keep_first(const Grid& grid, const float (&seen)[2][4], int tile, int lane,
                                  char* first) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int pixel = tile * kTile + 8 * half + lane / 4;
    if (pixel >= grid.first_pixels) continue;
    *reinterpret_cast<uint2*>(first + pixel * kFirstPitch + lane % 4 * 8) = {
        pack_bf16(seen[half][0], seen[half][1]), pack_bf16(seen[half][2], seen[half][3])};
  }
}

// The first convolution of 16 pixels, pooled over CELLS, and ReLU.
template <int CELLS>
__device__ inline void see_first(const Grid& grid, std::uint32_t image, int tile, int lane,
                                 const Columns<16>& columns, char* first) {
  const std::uint32_t patches = patch_address(grid, image, tile, lane);
  float best[2][4] = {};
#pragma unroll
  for (int cell = 0; cell < CELLS; ++cell) {
    std::uint32_t a[4];
    load_matrix(a, patches + cell_offset(grid, cell));
    Sums sums(columns.bias);
    sums.add(a, columns.weight[0]);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      best[i / 4][i % 4] = max_or_nan(best[i / 4][i % 4], sums.at(i / 4, i % 4));
  }
  keep_first(grid, best, tile, lane, first);
}

// The same, and which cell it was, 1 to 4, of each pixel and channel: the first of equals, as in
// libtorch, and 0 where ReLU let nothing through.
template <int CELLS>
__device__ inline void see_first(const Grid& grid, std::uint32_t image, int tile, int lane,
                                 const Columns<16>& columns, char* first, char* winner) {
  const std::uint32_t patches = patch_address(grid, image, tile, lane);
  float best[2][4] = {};
  std::uint32_t who[2][4] = {};
#pragma unroll
  for (int cell = 0; cell < CELLS; ++cell) {
    std::uint32_t a[4];
    load_matrix(a, patches + cell_offset(grid, cell));
    Sums sums(columns.bias);
    sums.add(a, columns.weight[0]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float sum = sums.at(i / 4, i % 4);
      const bool wins = !(sum <= best[i / 4][i % 4]);  // NaN does
      best[i / 4][i % 4] = wins ? sum : best[i / 4][i % 4];
      who[i / 4][i % 4] = wins ? cell + 1 : who[i / 4][i % 4];
    }
  }
  keep_first(grid, best, tile, lane, first);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int pixel = tile * kTile + 8 * half + lane / 4;
    if (pixel >= grid.first_pixels) continue;
    *reinterpret_cast<std::uint32_t*>(winner + pixel * kFirst + lane % 4 * 4) =
        who[half][0] | who[half][1] << 8 | who[half][2] << 16 | who[half][3] << 24;
  }
}

}  // namespace plr::cuda::grid_cnn

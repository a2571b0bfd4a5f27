// Conversion of images to the layout of the first layer.
//
// A pixel becomes four bf16, r g b 0, in rows of 68 pixels from x = -1 on: the four pixels of a row
// of a window are then 16 consecutive numbers.  Images are bytes, or floats in the same range;
// 0..255 is exact in bf16.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda::impala {

inline constexpr int kImagePitch = 68 * 8;      // bytes of a row
inline constexpr int kImageSize = 64 * 64 * 3;  // numbers of an image in global memory

// Byte `which` of a word as a float, by writing it into the last byte of the float 2^23: faster
// than a conversion instruction.  0x7650 selects the upper three bytes of 2^23 and byte `which`.
__device__ inline float byte_to_float(std::uint32_t word, int which) {
  return __uint_as_float(__byte_perm(word, 0x4B000000U, 0x7650 + which)) - 8388608.0F;
}
__device__ inline float to_float(std::uint8_t byte) { return byte_to_float(byte, 0); }
__device__ inline float to_float(float number) { return number; }

// Two rows of an image, of which a lane has four consecutive pixels: `has_row` says which of them
// are to be read or written, the others are 0.
template <class Pixel>
struct TwoRows;

// Bytes lie in host memory or were just written by other threads: they are loaded past L1, where an
// earlier observation of the same address may be, each once, 32 consecutive words at a time.  A
// lane has words lane, lane + 32 and lane + 64 of the 96 until distribute().
template <>
struct TwoRows<std::uint8_t> {
  static constexpr int kWordsPerRow = 48;
  std::uint32_t words[3] = {};
  template <class HasRow>
  __device__ void load(const std::uint8_t* from, int lane, HasRow has_row) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int word = lane + 32 * k;
      if (has_row(word / kWordsPerRow)) {
        words[k] = __ldcg(reinterpret_cast<const std::uint32_t*>(from) + word);
      }
    }
  }
  template <class HasRow>
  __device__ void store(std::uint8_t* to, int lane, HasRow has_row) const {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int word = lane + 32 * k;
      if (has_row(word / kWordsPerRow)) reinterpret_cast<std::uint32_t*>(to)[word] = words[k];
    }
  }
  // Gives each lane the three words of its pixels, one from each of three shuffles: in shuffle j a
  // lane sends the word lane + 32 k whose number is j modulo 3.
  __device__ void distribute(int lane) {
    std::uint32_t own[3];
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int k = 2 * (j + 3 - lane % 3) % 3;
      const std::uint32_t sent = k == 0 ? words[0] : k == 1 ? words[1] : words[2];
      own[j] = __shfl_sync(0xFFFFFFFFU, sent, 3 * lane + j);
    }
#pragma unroll
    for (int j = 0; j < 3; ++j) words[j] = own[j];
  }
  __device__ float operator[](int i) const { return byte_to_float(words[i >> 2], i & 3); }
};

template <>
struct TwoRows<float> {
  float4 numbers[3] = {};
  template <class HasRow>
  __device__ void load(const float* from, int lane, HasRow has_row) {
    if (!has_row(lane >> 4)) return;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      numbers[j] = __ldg(reinterpret_cast<const float4*>(from) + 3 * lane + j);
    }
  }
  __device__ void distribute(int) {}
  __device__ float operator[](int i) const {
    const float4& v = numbers[i >> 2];
    return (i & 3) == 0 ? v.x : (i & 3) == 1 ? v.y : (i & 3) == 2 ? v.z : v.w;
  }
};

}  // namespace plr::cuda::impala

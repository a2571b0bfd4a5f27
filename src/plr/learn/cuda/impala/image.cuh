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

// Four consecutive pixels in global memory.
template <class Pixel>
struct FourPixels;

template <>
struct FourPixels<std::uint8_t> {
  std::uint32_t words[3] = {};
  // Not from L1, where an earlier observation of the same address may be.
  __device__ void load(const std::uint8_t* from) {
#pragma unroll
    for (int j = 0; j < 3; ++j) words[j] = __ldcg(reinterpret_cast<const std::uint32_t*>(from) + j);
  }
  __device__ void store(std::uint8_t* to) const {
#pragma unroll
    for (int j = 0; j < 3; ++j) reinterpret_cast<std::uint32_t*>(to)[j] = words[j];
  }
  __device__ float operator[](int i) const { return byte_to_float(words[i >> 2], i & 3); }
};

template <>
struct FourPixels<float> {
  float4 numbers[3] = {};
  __device__ void load(const float* from) {
#pragma unroll
    for (int j = 0; j < 3; ++j) numbers[j] = __ldg(reinterpret_cast<const float4*>(from) + j);
  }
  __device__ float operator[](int i) const {
    const float4& v = numbers[i >> 2];
    return (i & 3) == 0 ? v.x : (i & 3) == 1 ? v.y : (i & 3) == 2 ? v.z : v.w;
  }
};

}  // namespace plr::cuda::impala

// How does an image come to lie as the first layer wants it?
//
// Its pixels become four bf16 each, r g b 0, in rows of 68 from x = -1 on: the window of a pixel is
// then 16 numbers side by side.  Bytes, and floats on the same scale; 0..255 is exact in bf16.
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/ptx.cuh"

namespace plr::cuda::impala {

inline constexpr int kImagePitch = 68 * 8;         // bytes of a row
inline constexpr int kImageNumbers = 64 * 64 * 3;  // of an image in global memory

// A byte becomes a float as the last one of 2^23 + byte: conversions are slow.
__device__ inline float byte_of(std::uint32_t word, int which) {
  return __uint_as_float(__byte_perm(word, 0x4B000000U, 0x7650 + which)) - 8388608.0F;
}
__device__ inline float number_of(std::uint8_t byte) { return byte_of(byte, 0); }
__device__ inline float number_of(float number) { return number; }

// Four pixels side by side, as they come from global memory.
template <class Pixel>
struct FourPixels;

template <>
struct FourPixels<std::uint8_t> {
  std::uint32_t words[3] = {};
  __device__ void load(const std::uint8_t* from) {
#pragma unroll
    for (int j = 0; j < 3; ++j) words[j] = __ldg(reinterpret_cast<const std::uint32_t*>(from) + j);
  }
  __device__ float operator[](int i) const { return byte_of(words[i >> 2], i & 3); }
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

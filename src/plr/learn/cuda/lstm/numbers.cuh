// The types of numbers of the recurrent network's training, by Numbers (recurrence.h).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace plr::cuda::lstm {

// Numbers::kExact, then Numbers::kBf16.
struct Exact {
  using Io = float;
  using Saved = float;
  static constexpr bool kSplit = true;  // operands are the sum of two 16-bit numbers
};
struct Bf16 {
  using Io = __nv_bfloat16;
  using Saved = __half;
  static constexpr bool kSplit = false;
};

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline void store(float* to, float x) { *to = x; }
__device__ inline void store(__nv_bfloat16* to, float x) { *to = __float2bfloat16_rn(x); }
__device__ inline void store(__half* to, float x) { *to = __float2half_rn(x); }

// Four consecutive numbers, read and written at once.
template <class T>
struct FourOf {
  using Type = uint2;
};
template <>
struct FourOf<float> {
  using Type = float4;
};
template <class T>
using Four = typename FourOf<T>::Type;

template <class T>
__device__ inline float4 unpack(const Four<T>& v) {
  if constexpr (sizeof(T) == 4) {
    return v;
  } else {
    const auto* numbers = reinterpret_cast<const T*>(&v);
    return {to_float(numbers[0]), to_float(numbers[1]), to_float(numbers[2]), to_float(numbers[3])};
  }
}

template <class T>
__device__ inline void store_four(T* to, const float4& v) {
  Four<T> packed;
  if constexpr (sizeof(T) == 4) {
    packed = v;
  } else {
    auto* numbers = reinterpret_cast<T*>(&packed);
    store(numbers, v.x);
    store(numbers + 1, v.y);
    store(numbers + 2, v.z);
    store(numbers + 3, v.w);
  }
  *reinterpret_cast<Four<T>*>(to) = packed;
}

template <class T>
__device__ inline Four<T> load_four(const T* from) {
  return *reinterpret_cast<const Four<T>*>(from);
}

}  // namespace plr::cuda::lstm

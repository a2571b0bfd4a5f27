// fp32 matrix products on tensor cores, as three products in fp16.
//
// fp16 has 10 bits of fraction.  An fp32 number is nearly the sum of two fp16 numbers, a big one
// and a small one, which is stored times 2^11 so that it does not underflow:
//
//   x * y = big * big' + (big * small' + small * big') / 2^11 + an error of about 2^-22 of it
//
// Numbers must be below 65504.  Compared with tf32.cuh: half the instructions, and operands that
// are stored as split numbers need as much memory as fp32 and no conversion.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace plr::cuda {

inline constexpr float kSmallScale = 2048.0F;

__device__ inline std::uint32_t half2_bits(const __half2& v) {
  return *reinterpret_cast<const std::uint32_t*>(&v);
}

// Four numbers: the big halves of the first two and of the last two, then the small ones.
__device__ inline uint4 split_halves(const float4& v) {
  const __half2 big_xy = __floats2half2_rn(v.x, v.y);
  const __half2 big_zw = __floats2half2_rn(v.z, v.w);
  const float2 xy = __half22float2(big_xy);
  const float2 zw = __half22float2(big_zw);
  const __half2 small_xy =
      __floats2half2_rn((v.x - xy.x) * kSmallScale, (v.y - xy.y) * kSmallScale);
  const __half2 small_zw =
      __floats2half2_rn((v.z - zw.x) * kSmallScale, (v.w - zw.y) * kSmallScale);
  return {half2_bits(big_xy), half2_bits(big_zw), half2_bits(small_xy), half2_bits(small_zw)};
}

// c += a * b, 16x16 times 16x8 in fp16, accumulated in fp32; fragments as in ptx.cuh.
__device__ inline void mma_f16(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                               std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace plr::cuda

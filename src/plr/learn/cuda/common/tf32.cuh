// fp32 matrix products on tensor cores, as three products in tf32.
//
// tf32 has 10 bits of fraction.  An fp32 number is nearly the sum of two tf32 numbers, a big and a
// small one:
//
//   x * y = big * big' + big * small' + small * big' + an error of about 2^-21 of the product
//
// That is three products instead of one, of which a tensor core computes eight times as many as the
// fp32 units do.
#pragma once

#include <cstdint>

namespace plr::cuda {

struct SplitFloat {
  std::uint32_t big, small;  // bits of tf32 numbers
};

__device__ inline SplitFloat split(float x) {
  const std::uint32_t big = __float_as_uint(x) & 0xffffe000U;  // drops 13 of 23 bits of fraction
  return {big, __float_as_uint(x - __uint_as_float(big))};
}

// c += a * b in tf32, 16x8 times 8x8.
__device__ inline void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// c += a * b in fp32, 16x8 times 8x8; the smallest products are added first.
__device__ inline void mma_fp32(float (&c)[4], const SplitFloat (&a)[4], const SplitFloat (&b)[2]) {
  const std::uint32_t big[4] = {a[0].big, a[1].big, a[2].big, a[3].big};
  const std::uint32_t small[4] = {a[0].small, a[1].small, a[2].small, a[3].small};
  mma_tf32(c, small, b[0].big, b[1].big);
  mma_tf32(c, big, b[0].small, b[1].small);
  mma_tf32(c, big, b[0].big, b[1].big);
}

}  // namespace plr::cuda

// The two sets of kernels of the IMPALA network.
//
// They compute bitwise identical results: the same convolutions of a warp (conv.cuh) in the same
// order.  They differ in how data reaches shared memory and how thread blocks share an image.
#pragma once

#include <cstdint>

namespace plr::cuda::impala {

enum class Variant : std::uint8_t {
  kHopper,    // clusters of thread blocks and the bulk copy engine; compute capability 9.0 alone
  kPortable,  // every GPU since Ampere
};

inline constexpr int kMaxSmem = 227 * 1024;         // shared memory of a thread block on Hopper
inline constexpr int kMaxPortableSmem = 99 * 1024;  // and on Ada, the least since Ampere

}  // namespace plr::cuda::impala

// Random numbers on the device, computed from a key without waiting for the host.
//
// The host draws one 64-bit key from a named stream; the device computes as many numbers as a
// mini-batch needs, each a hash of the key and its position (SplitMix64, Steele et al. 2014).  It
// is integer arithmetic, so that every device computes the same numbers from the same key.
//
//   const at::Tensor u = uniforms(key, {2, batch});    // key: int64, one element, on the device
//
// Two calls with one key return the same numbers: use one key per purpose.  Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

namespace plr::learn {

// Floats in [0, 1), multiples of 2^-24.
at::Tensor uniforms(const at::Tensor& key, at::IntArrayRef shape);

// Floats of mean 0 and standard deviation 1 (Box and Muller).
at::Tensor normals(const at::Tensor& key, at::IntArrayRef shape);

}  // namespace plr::learn

// conv 2x2 -> max-pool 2x2 -> ReLU in one pass: the first layers of the grid CNN, on the CPU.
//
// With 3 input and 16 output channels there is little to compute and much to move: layer by layer,
// most of the time was spent on writing and reading back four times as many numbers as the pool
// keeps.  Here each output is computed where it is needed, and the backward pass visits only the
// argmax of each window.
//
//   const at::Tensor x = conv_pool_relu(images, layer);   // [B, 16, (H-1)/2, (W-1)/2]
//
// For floats on the CPU; on other devices, and if the images require a gradient, it consists of
// libtorch's layers.  The order of sums depends on the shape alone.  Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include "plr/learn/layers.h"

namespace plr::learn {

// Images [B, C, H, W], channels last in memory; an incomplete last row or column of windows is left
// out.
at::Tensor conv_pool_relu(const at::Tensor& images, const Layer& layer);

}  // namespace plr::learn

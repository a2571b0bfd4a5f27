// What does MiniGrid's network see first?
//
// Its first three layers, conv 2x2 -> max-pool 2x2 -> ReLU, in one pass.  With three channels in
// and sixteen out there is little to compute and much to move: layer by layer, most of the time
// went into writing and reading again four times as many numbers as the pool keeps.  Here each
// output is made where it is needed, and going back only the cell that won is visited.
//
//   const at::Tensor x = conv_pool_relu(images, layer);   // [B, 16, (H-1)/2, (W-1)/2]
//
// For floats on the CPU; elsewhere, and where the images themselves want a gradient, it is made of
// libtorch's layers.  The sums are taken in an order that depends on nothing but the shape.
#pragma once

#include <ATen/core/Tensor.h>

#include "plr/learn/layers.h"

namespace plr::learn {

// Images [B, C, H, W], channels last in memory; an odd last row or column of windows is left out.
at::Tensor conv_pool_relu(const at::Tensor& images, const Layer& layer);

}  // namespace plr::learn

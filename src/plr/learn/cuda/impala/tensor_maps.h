// Tensor maps: how the bulk copy engine finds a tensor in global memory.
//
// A map has the tensor's address and shape, [images][side][side][channels] of bf16, and the box
// that one copy moves.  In shared memory a pixel takes 48 bytes for 16 channels and 80 for 32, as
// in row_tile.cuh: the box has more channels than the tensor, and more columns where its rows are
// further apart.  What lies outside of the tensor is read as zero and not written.
#pragma once

#include <cuda.h>

#include "plr/learn/cuda/impala/layers.h"

namespace plr::cuda::impala {

struct BoxShape {
  int images, rows, columns;
};

// Throws std::runtime_error on a driver error.
CUtensorMap make_tensor_map(void* tensor, int images, int side, int channels, const BoxShape& box);

// One map per layer; passed to kernels by value, as tensor maps must be.
struct LayerMaps {
  CUtensorMap layer[kNumLayers];
};

}  // namespace plr::cuda::impala

// How does the copy engine know where a tensor lies?
//
// By a map: the tensor's address and shape, [images][side][side][channels] of bf16, and the box
// that a copy moves.  In shared memory a pixel takes 48 bytes for 16 channels, 80 for 32, as
// everywhere (impala/row_tile.cuh): the box simply has more channels than the tensor, and more
// columns where its rows lie further apart, and what lies outside is not there.
#pragma once

#include <cuda.h>

#include "plr/learn/cuda/impala/buffers.h"

namespace plr::cuda::impala {

struct BoxShape {
  int images, rows, columns;
};

// Throws std::runtime_error if the driver refuses.
CUtensorMap make_map(void* tensor, int images, int side, int channels, const BoxShape& box);

// Passed to kernels by value, as maps must be.
struct LayerMaps {
  CUtensorMap of[kNumLayers];
};

}  // namespace plr::cuda::impala

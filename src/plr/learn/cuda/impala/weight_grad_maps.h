// Tensor maps with which the weight gradient kernel of a layer copies its tiles.
#pragma once

#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/tensor_maps.h"

namespace plr::cuda::impala {

struct WeightGradMaps {
  CUtensorMap inputs, output_grads;
};

// REQUIRES: layer > 0; the first layer needs none.  Throws std::runtime_error on a driver error.
WeightGradMaps make_weight_grad_maps(int layer, const TrainBuffers& buffers, int batch);

}  // namespace plr::cuda::impala

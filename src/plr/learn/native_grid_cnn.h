// The grid CNN by native CUDA kernels (cuda/grid_cnn/).
#pragma once

#include <memory>

#include "plr/learn/native_network.h"

namespace plr::learn {

// Null where the kernels do not support the network's shape, its precision or the GPU.
std::unique_ptr<NativeInference> make_grid_cnn_inference(const Network& network,
                                                         const GridCnnConfig& config);
std::unique_ptr<NativeTraining> make_grid_cnn_training(Network& network,
                                                       const GridCnnConfig& config);

}  // namespace plr::learn

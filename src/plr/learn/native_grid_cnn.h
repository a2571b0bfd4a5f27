// The grid CNN by native CUDA kernels (cuda/grid_cnn/).
#pragma once

#include <memory>

#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_network.h"

namespace plr::learn {

// By the network's shape, its precision and the GPU.
// REQUIRES: the network's device runs native kernels (cuda_backend.h).
KernelChoices choose_grid_cnn_kernels(const Network& network, const GridCnnConfig& config,
                                      Kernels kernels);

// REQUIRES: choose_grid_cnn_kernels() chooses native ones.
std::unique_ptr<NativeInference> make_grid_cnn_inference(const Network& network,
                                                         const GridCnnConfig& config,
                                                         KernelKind kind);
std::unique_ptr<NativeTraining> make_grid_cnn_training(Network& network,
                                                       const GridCnnConfig& config);

}  // namespace plr::learn

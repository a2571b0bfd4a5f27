// The IMPALA network by native CUDA kernels (cuda/impala/).
#pragma once

#include <memory>

#include "plr/learn/native_network.h"

namespace plr::learn {

// Null where the kernels do not support the network's shape, its precision or the GPU.
std::unique_ptr<NativeInference> make_impala_inference(const Network& network,
                                                       const ImpalaConfig& config);
std::unique_ptr<NativeTraining> make_impala_training(Network& network, const ImpalaConfig& config);

}  // namespace plr::learn

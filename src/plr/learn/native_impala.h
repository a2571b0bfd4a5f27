// The IMPALA network by native CUDA kernels (cuda/impala/).
#pragma once

#include <memory>

#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_network.h"

namespace plr::learn {

// By the network's shape, its precision and the GPU: kHopper on Hopper unless `kernels` is
// kPortable, else kPortable.  Both compute bitwise identical results.
// REQUIRES: the network's device runs native kernels (cuda_backend.h).
KernelChoices choose_impala_kernels(const Network& network, Kernels kernels);

// REQUIRES: choose_impala_kernels() chooses this kind.
std::unique_ptr<NativeInference> make_impala_inference(const Network& network,
                                                       const ImpalaConfig& config, KernelKind kind);
std::unique_ptr<NativeTraining> make_impala_training(Network& network, const ImpalaConfig& config,
                                                     KernelKind kind);

}  // namespace plr::learn

// The recurrent network by native CUDA kernels (cuda/lstm/), on a Hopper.
#pragma once

#include <memory>

#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_network.h"

namespace plr::learn {

// By the network's shape and the GPU.
// REQUIRES: the network's device runs native kernels (cuda_backend.h).
KernelChoices choose_lstm_kernels(const Network& network, const LstmConfig& config,
                                  Kernels kernels);

// REQUIRES: choose_lstm_kernels() chooses native ones.
std::unique_ptr<NativeInference> make_lstm_inference(const Network& network,
                                                     const LstmConfig& config);
// For thousands of slots, with operands in fp16 (cuda/lstm/tile_inference.h); null if the network's
// precision is fp32 or the kernels do not support its sizes.
std::unique_ptr<NativeInference> make_lstm_tile_inference(const Network& network,
                                                          const LstmConfig& config);
std::unique_ptr<NativeTraining> make_lstm_training(Network& network, const LstmConfig& config);

}  // namespace plr::learn

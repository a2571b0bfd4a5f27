// The backend that uses native CUDA kernels where there are any.
//
// libtorch launches dozens of kernels from an observation to an action, and hundreds for a
// mini-batch; native kernels need a few.  Those around the network (gather, loss, Adam) run on
// every NVIDIA GPU since Ampere and serve any network.  Those of a network are made for certain
// architectures, precisions and GPUs (native_network.h); libtorch computes the others.
//
// In a program that was built without CUDA's compiler these functions are defined by
// cuda_backend_stub.cc, and nothing is native.
#pragma once

#include <memory>

#include "plr/learn/backend.h"

namespace plr::learn {

// Whether this program has native kernels that the device runs.
bool runs_native_kernels(at::Device device);

// REQUIRES: runs_native_kernels(network.device()).
std::unique_ptr<Backend> make_cuda_backend(Network network);

}  // namespace plr::learn

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
#include <string>

#include "plr/learn/backend.h"

namespace plr::learn {

// Why the device runs no native kernels of this program, in a few words; empty if it does.
std::string native_kernels_problem(at::Device device);
inline bool runs_native_kernels(at::Device device) {
  return native_kernels_problem(device).empty();
}

// The name of a GPU: "NVIDIA H200 (compute capability 9.0)".
// REQUIRES: device.is_cuda().
std::string gpu_text(at::Device device);

// REQUIRES: runs_native_kernels(network.device()); kernels != kLibtorch.
std::unique_ptr<Backend> make_cuda_backend(Network network, Kernels kernels = Kernels::kAuto);

}  // namespace plr::learn

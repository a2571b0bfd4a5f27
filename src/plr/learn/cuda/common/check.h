// check() turns a CUDA error into an exception that names the failed operation.
//
//   check(cudaGetLastError(), "Adam step");  // throws "CUDA: Adam step failed: invalid argument"
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace plr::cuda {

inline void check(cudaError_t error, const char* operation) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + operation +
                           " failed: " + cudaGetErrorString(error));
}

}  // namespace plr::cuda

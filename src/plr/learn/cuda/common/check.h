// What if CUDA refuses?
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace plr::cuda {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + what + " failed: " + cudaGetErrorString(error));
}

}  // namespace plr::cuda

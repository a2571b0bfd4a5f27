// On what, and how exactly, does the network compute?
//
//   const at::Device device = configure({.device = "cuda", .precision = Precision::kBf16});
//
// libtorch keeps most of this for the whole process, so say it once, before the first network is
// made.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace plr {

enum class Precision {
  kFp32,  // 24 bits everywhere
  kTf32,  // products of 11 bits, summed in 24; CUDA only
  kBf16,  // layers in 8 bits, sums, losses, weights and the optimizer in 24; CUDA only
};

struct Compute {
  std::string device = "cpu";              // "cpu", "cuda" or "cuda:1"
  Precision precision = Precision::kFp32;  // of the network; also given to it when it is made
  bool deterministic = false;  // on CUDA: repeats bit for bit, and is slower; the CPU always does
  int num_threads = 1;         // of libtorch on the CPU; the order of its sums depends on it
};

// Sets libtorch up and returns the device.  Throws std::invalid_argument if it is not there or
// cannot compute with this precision.
at::Device configure(const Compute& compute);

}  // namespace plr

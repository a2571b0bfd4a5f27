// On what, and how exactly, does the network compute?
//
//   const at::Device device = configure({.device = "cuda", .precision = Precision::kBf16});
//
// libtorch keeps most of this for the whole process, so say it once, before the first network is
// made.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr::learn {

enum class Precision : std::uint8_t {
  kFp32,  // 24 bits everywhere
  kTf32,  // products of 11 bits, summed in 24; CUDA only
  kBf16,  // layers in 8 bits, sums, losses, weights and the optimizer in 24; CUDA only
  kAuto,  // bf16 on CUDA, where it learns as well (docs/performance.md), else fp32
};

constexpr std::array<std::string_view, 4> enum_names(Precision) {
  return {"fp32", "tf32", "bf16", "auto"};
}

// By whose kernels the network acts and learns on CUDA.
enum class Kernels : std::uint8_t {
  kAuto,      // our own where there are any for the network, the device and the precision
  kLibtorch,  // libtorch's
  kPlr,       // our own, or an error
};

constexpr std::array<std::string_view, 3> enum_names(Kernels) {
  return {"auto", "libtorch", "plr"};
}

struct Compute {
  std::string device = "cpu";
  static constexpr Field kDevice{&Compute::device, "device", "auto, cpu, cuda or cuda:1"};

  Precision precision = Precision::kFp32;
  static constexpr Field kPrecision{&Compute::precision, "precision",
                                    "of the layers; tf32 and bf16 need CUDA, where auto is bf16"};

  bool deterministic = false;
  static constexpr Field kDeterministic{
      &Compute::deterministic, "deterministic",
      "on CUDA: bitwise identical runs for one seed, but slower; the CPU is always deterministic"};

  int num_threads = 1;
  static constexpr Field kNumThreads{
      &Compute::num_threads, "threads", from_to(0, 1024),
      "of libtorch on the CPU, 0 for one per core, 1 for concurrent runs; the last bits of a run "
      "depend on it"};

  Kernels kernels = Kernels::kAuto;
  static constexpr Field kKernels{
      &Compute::kernels, "kernels",
      "on CUDA: auto uses native kernels where they exist, plr requires them"};

  static constexpr std::tuple kFields{kDevice, kPrecision, kDeterministic, kNumThreads, kKernels};
};

// The same with "auto" and 0 threads made plain, as they are on this machine; kernels stay as they
// are.
Compute plain(Compute compute);

// Sets libtorch up and returns the device.  Throws std::invalid_argument if it is not there or
// cannot compute with this precision.
at::Device configure(const Compute& given);

}  // namespace plr::learn

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
  std::string device = "cpu";              // "auto", "cpu", "cuda" or "cuda:1"
  Precision precision = Precision::kFp32;  // of the network; also given to it when it is made
  bool deterministic = false;  // on CUDA: repeats bit for bit, and is slower; the CPU always does
  int num_threads = 1;         // of libtorch on the CPU; the order of its sums depends on it
  Kernels kernels = Kernels::kAuto;
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, Compute>
void visit_fields(Config& config, Visit&& visit) {
  visit("device", config.device, any_value(), "auto, cpu, cuda or cuda:1");
  visit("precision", config.precision, any_value(),
        "of the layers; tf32 and bf16 on CUDA only, where auto is bf16");
  visit("deterministic", config.deterministic, any_value(),
        "on CUDA: the same seed gives the same bits, and is slower; the CPU always does");
  visit(
      "threads", config.num_threads, from_to(0, 1024),
      "of libtorch on the CPU, 0 for one per core, 1 for runs side by side; the order of its sums, "
      "hence the last bits of a run, depends on it");
  visit("kernels", config.kernels, any_value(),
        "on CUDA; auto takes our own where there are any, plr insists on them");
}

// The same with "auto" and 0 threads made plain, as they are on this machine; kernels stay as they
// are.
Compute plain(Compute compute);

// Sets libtorch up and returns the device.  Throws std::invalid_argument if it is not there or
// cannot compute with this precision.
at::Device configure(const Compute& given);

}  // namespace plr::learn

// Settings of the computation: device, precision, threads, kernels.
//
//   const at::Device device = configure({.device = "cuda", .precision = Precision::kBf16});
//
// libtorch keeps most of them for the whole process: call configure() once, before the first
// network is made.  ComputeConfig is copyable; configure() is not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr::learn {

enum class Precision : std::uint8_t {
  kFp32,
  kTf32,
  kBf16,
  kAuto,
};

constexpr std::array<std::string_view, 4> enum_names(Precision) {
  return {"fp32", "tf32", "bf16", "auto"};
}
constexpr std::array<std::string_view, 4> enum_texts(Precision) {
  return {"24 bits everywhere", "products of 11 bits, summed in 24; CUDA only",
          "layers in 8 bits; sums, losses, weights and the optimizer in 24; CUDA only",
          "bf16 on CUDA, else fp32"};
}

// Which kernels compute inference and training on CUDA (backend.h).
enum class Kernels : std::uint8_t {
  kAuto,
  kLibtorch,
  kNative,
  kPortable,
};

constexpr std::array<std::string_view, 4> enum_names(Kernels) {
  return {"auto", "libtorch", "native", "portable"};
}
constexpr std::array<std::string_view, 4> enum_texts(Kernels) {
  return {"native kernels where there are any for the network, device and precision",
          "kernels of libtorch", "native kernels, or an error",
          "native kernels without those for Hopper alone, or an error"};
}

// As for every enumeration (base/fields.h), and "plr", the name of native kernels in version 0.1.
inline void parse_value(std::string_view field, const std::string& text, Kernels& value) {
  value = text == "plr" ? Kernels::kNative : enum_from<Kernels>(field, text);
}

struct ComputeConfig {
  std::string device = "cpu";
  static constexpr Field kDevice{&ComputeConfig::device, "device", "auto, cpu, cuda or cuda:1"};

  Precision precision = Precision::kFp32;
  static constexpr Field kPrecision{&ComputeConfig::precision, "precision",
                                    "of the layers; tf32 and bf16 need CUDA, where auto is bf16"};

  bool deterministic = false;
  static constexpr Field kDeterministic{
      &ComputeConfig::deterministic, "deterministic",
      "on CUDA: bitwise identical runs for one seed, but slower; the CPU is always deterministic"};

  int num_threads = 1;
  static constexpr Field kNumThreads{
      &ComputeConfig::num_threads, "threads", from_to(0, 1024),
      "of libtorch on the CPU, 0 for one per free CPU, 1 for concurrent runs; the last bits of a "
      "run depend on it"};

  Kernels kernels = Kernels::kAuto;
  static constexpr Field kKernels{
      &ComputeConfig::kernels, "kernels",
      "on CUDA: auto uses native kernels where they exist, native requires them, portable requires "
      "those that run on every GPU since Ampere"};

  static constexpr std::tuple kFields{kDevice, kPrecision, kDeterministic, kNumThreads, kKernels};
};

// Replaces "auto" and 0 threads by their values on this machine; leaves `kernels` as it is.
ComputeConfig resolve_auto(ComputeConfig compute);

// The number of CUDA devices.
int num_gpus();

// Configures libtorch and returns the device.  Throws std::invalid_argument if there is no such
// device or it does not support the precision.
at::Device configure(const ComputeConfig& given);

}  // namespace plr::learn

// Which kernels compute a network's inference and its training, and why.
//
//   const KernelChoices choices = choose_kernels(network, Kernels::kAuto);
//   choices.training.kind;       // KernelKind::kHopper
//   choices.training.reason;     // "NVIDIA H200 has compute capability 9.0"
//
// make_native_inference() and make_native_training() (native_network.h) follow it.  Surveys of many
// slots with a recurrent network are not chosen here: they have native kernels in bf16 alone
// (make_native_inference_of_many()).  Values are copyable.  Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "plr/learn/compute.h"
#include "plr/learn/network.h"

namespace plr::learn {

enum class KernelKind : std::uint8_t {
  kLibtorch,
  kPortable,  // native kernels for every GPU since Ampere
  kHopper,    // native kernels for Hopper alone
};

constexpr std::array<std::string_view, 3> enum_names(KernelKind) {
  return {"libtorch", "native, portable", "native, for Hopper"};
}

struct KernelChoice {
  KernelKind kind = KernelKind::kLibtorch;
  std::string reason;  // why this kind, in a few words
};

struct KernelChoices {
  KernelChoice inference, training;
};

KernelChoices choose_kernels(const Network& network, Kernels kernels);

// Whether native kernels can read the network's inputs and outputs: observations are bytes that are
// not normalized, and actions are discrete.
bool has_native_interface(const Network& network);

// One line that names the GPU and the reason if libtorch computes inference or training of the
// network on a GPU although `kernels` is kAuto; else empty.
std::string libtorch_note(const Network& network, Kernels kernels);

}  // namespace plr::learn

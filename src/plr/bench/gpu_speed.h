// The speed of a network's inference and training on one device, by every kind of kernels that runs
// there.
//
//   for (const KernelSpeed& speed : measure_kernels(PresetNetwork::kProcgen, {}, precision,
//   device))
//     speed.samples_per_second;
//
// Values are copyable.  Not thread-safe: concurrent measurements affect each other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plr/bench/network.h"
#include "plr/learn/kernel_choice.h"

namespace plr::bench {

// Batches of inference: a group of slots of the Procgen presets, and all slots.
inline constexpr std::array<std::int64_t, 2> kInferenceBatches = {16, 64};

struct KernelMeasurement {
  std::int64_t minibatch = 2048;  // samples
  int num_minibatches = 8;        // per update
  double seconds = 0.5;           // of each measurement, after a warm-up
};

struct KernelSpeed {
  learn::KernelChoices kernels;
  std::array<double, kInferenceBatches.size()> images_per_second = {};
  double samples_per_second = 0;  // of whole mini-batch steps, from gathering to Adam
};

// The settings whose choices of kernels differ on this device: auto, portable and libtorch, as far
// as they exist.
std::vector<learn::Kernels> distinct_kernels(const learn::Network& network);

// REQUIRES: libtorch is configured with this device.
std::vector<KernelSpeed> measure_kernels(PresetNetwork network,
                                         const KernelMeasurement& measurement,
                                         learn::Precision precision, at::Device device);

}  // namespace plr::bench

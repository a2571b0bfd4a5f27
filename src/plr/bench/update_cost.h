// The cost of an update with each method, relative to plain PPO.
//
//   const learn::ComputeConfig compute = learn::resolve_auto({.device = "auto"});
//   const at::Device device = learn::configure(compute);
//   measure_updates(PresetNetwork::kMultiroom, {}, compute, device)[1].relative;   // of mixreg
//
// Values are copyable. Not thread-safe: concurrent measurements affect each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plr/bench/network.h"
#include "plr/learn/compute.h"

namespace plr::bench {

struct UpdateMeasurement {
  std::int64_t minibatch = 64;  // samples
  int num_minibatches = 8;      // per update
  int rounds = 3;               // updates of each method, after one that warms up
};

struct UpdateCost {
  std::string method;
  double milliseconds = 0;  // of a mini-batch
  double samples_per_second = 0;
  double relative = 0;  // to plain PPO
};

// The seconds that an update takes with a method.
struct MethodTime {
  std::string method;
  double seconds = 0;
};

// The costs of the methods, and of a bandit that tries each augmentation ("drac, NAME") equally
// often. REQUIRES: the first method is plain PPO.
std::vector<UpdateCost> update_costs(std::span<const MethodTime> times,
                                     const UpdateMeasurement& measurement);

// Updates on random observations, which cost the same as real ones; the time of a method is the
// median of its rounds. REQUIRES: libtorch is configured by `compute`, with this device.
std::vector<UpdateCost> measure_updates(PresetNetwork network, const UpdateMeasurement& measurement,
                                        const learn::ComputeConfig& compute, at::Device device);

}  // namespace plr::bench

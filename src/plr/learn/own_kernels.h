// Does a network act and learn by kernels of our own?
//
// libtorch needs dozens of kernels from an observation to a decision, and hundreds for a
// mini-batch.  Where we have written them ourselves, for CUDA, a few do; they are made for certain
// networks only.
//
//   choose_kernels(Kernels::kAuto, config, network);
//
// Policy then acts by them, and forward() computes by them what is to be learned from.  They
// compute what libtorch's layers compute, up to rounding: acting on MiniGrid in fp32, all else in
// bf16 with sums in fp32.
//
// Nothing is returned if the program was built without kernels, or they do not fit the network, its
// precision or its device.  What is returned keeps the network's parameters alive, not the network.
#pragma once

#include <optional>

#include "plr/learn/compute.h"
#include "plr/learn/minigrid_network.h"
#include "plr/learn/network.h"
#include "plr/learn/procgen_network.h"

namespace plr::learn {

// Whether kernels of our own may be asked for at all: they are in this program, the device can run
// those that every NVIDIA GPU since Ampere can, and the user does not want libtorch's.
bool has_own_kernels(at::Device device, Kernels kernels);

std::optional<OwnActor> own_minigrid_actor(const Network& network,
                                           const MinigridNetworkConfig& config);
std::optional<OwnActor> own_procgen_actor(const Network& network,
                                          const ProcgenNetworkConfig& config);

std::optional<OwnLearner> own_minigrid_learner(const Network& network,
                                               const MinigridNetworkConfig& config);
std::optional<OwnLearner> own_procgen_learner(const Network& network,
                                              const ProcgenNetworkConfig& config);

// Lets the network act and learn by them where that is wanted and possible.  Throws
// std::invalid_argument if kPlr insists on what is not there.
void choose_kernels(Kernels kernels, const MinigridNetworkConfig& config, Network& network);
void choose_kernels(Kernels kernels, const ProcgenNetworkConfig& config, Network& network);

}  // namespace plr::learn

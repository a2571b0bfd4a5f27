// Does a network act by kernels of our own?
//
// libtorch needs dozens of kernels from an observation to a decision.  Where we have written them
// ourselves, for CUDA, two do; they are made for certain networks only.
//
//   if (auto actor = own_minigrid_actor(network, config)) network.set_actor(std::move(*actor));
//
// Policy then acts by them.  They compute what the network's forward() computes, up to rounding:
// MiniGrid's in fp32, Procgen's in bf16.
#pragma once

#include <optional>

#include "plr/learn/minigrid_network.h"
#include "plr/learn/network.h"
#include "plr/learn/procgen_network.h"

namespace plr {

// Nothing if the program was built without kernels, or they do not fit the network or its device.
// The actor keeps the network's parameters alive, not the network.
std::optional<OwnActor> own_minigrid_actor(const Network& network,
                                           const MinigridNetworkConfig& config);

std::optional<OwnActor> own_procgen_actor(const Network& network,
                                          const ProcgenNetworkConfig& config);

}  // namespace plr

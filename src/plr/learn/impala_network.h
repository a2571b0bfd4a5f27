// The residual network of IMPALA (Espeholt et al. 2018), for images (Procgen).
//
//   three stages of 16, 32 and 32 channels: conv 3x3 -> max-pool 3x3, stride 2 -> 2 residual blocks
//   ReLU -> 256 units, ReLU -> logits and value
//
// A residual block is x + conv(ReLU(conv(ReLU(x)))).  626,256 parameters for 64x64x3 and 15
// actions. ImpalaConfig is in architecture.h.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

Network make_impala_network(const NetworkShape& shape, const ImpalaConfig& config, Random init,
                            Precision precision, at::Device device);

}  // namespace plr::learn

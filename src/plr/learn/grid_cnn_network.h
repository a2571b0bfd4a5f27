// The grid CNN: a small network for observations that are grids of category codes (MiniGrid).
//
//   conv 2x2, 16 -> max-pool 2x2 -> ReLU -> conv 2x2, 32 -> ReLU -> conv 2x2 -> ReLU
//   policy: 64 tanh units -> logits;  value: 64 tanh units of its own -> value
//
// The codes (object, color, state) are used as numbers.  72,600 parameters for 14x14x3 and 7
// actions.  The switches of GridCnnConfig (architecture.h) are where the paper and its released
// code differ or leave a choice.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

// Throws std::invalid_argument if the grid is smaller than 7x7, or 4x4 without the pool.
Network make_grid_cnn_network(const NetworkShape& shape, const GridCnnConfig& config, Random init,
                              Precision precision, at::Device device);

}  // namespace plr::learn

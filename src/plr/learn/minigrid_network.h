// Which network plays MiniGrid, whose observations are small grids of codes?
//
//   conv 2x2, 16 -> max-pool 2x2 -> ReLU -> conv 2x2, 32 -> ReLU -> conv 2x2 -> ReLU
//   policy: 64 tanh units -> logits;  value: 64 tanh units of its own -> value
//
// The codes (object, colour, state) are taken as they are, as numbers.  72,600 parameters for
// 14x14x3 and 7 actions.  The switches are where the paper and its released code differ or leave a
// choice.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

struct MinigridNetworkConfig {
  // Of the last convolution.  The paper takes 64 for ObstructedMazeGamut.
  std::int64_t channels = 32;
  // The 2x2 max-pool, which the paper does not mention and its code has.
  bool pool = true;
  // One hidden layer for policy and value: the paper's wording, not its code.
  bool shared_hidden = false;
};

// Throws std::invalid_argument if the grid is too small: 7 cells a side, or 4 without the pool.
Network make_minigrid_network(const NetworkShape& shape, const MinigridNetworkConfig& config,
                              Random init, Precision precision, at::Device device);

}  // namespace plr::learn

// Which network plays MiniGrid, whose observations are small grids of codes?
//
//   conv 2x2, 16 -> max-pool 2x2 -> ReLU -> conv 2x2, 32 -> ReLU -> conv 2x2 -> ReLU
//   policy: 64 tanh units -> logits;  value: 64 tanh units of its own -> value
//
// The codes (object, colour, state) are taken as they are, as numbers.  72,600 parameters for
// 14x14x3 and 7 actions.  The switches are where the paper and its released code differ or leave a
// choice.
#pragma once

#include <tuple>

#include "plr/base/fields.h"
#include "plr/learn/network.h"

namespace plr::learn {

struct MinigridNetworkConfig {
  std::int64_t channels = 32;
  static constexpr Field kChannels{
      &MinigridNetworkConfig::channels, "channels", from_to(1, 1 << 12),
      "channels of MiniGrid's last convolution: 32, or 64 for ObstructedMazeGamut (E5)"};

  bool pool = true;
  static constexpr Field kPool{
      &MinigridNetworkConfig::pool, "pool",
      "MiniGrid's 2x2 max-pool after the first convolution; in the released code only (E4)"};

  bool shared_hidden = false;
  static constexpr Field kSharedHidden{
      &MinigridNetworkConfig::shared_hidden, "shared_hidden",
      "MiniGrid's policy and value share a hidden layer; in the paper's text only (E3)"};

  static constexpr std::tuple kFields{kChannels, kPool, kSharedHidden};
};

// Throws std::invalid_argument if the grid is too small: 7 cells a side, or 4 without the pool.
Network make_minigrid_network(const NetworkShape& shape, const MinigridNetworkConfig& config,
                              Random init, Precision precision, at::Device device);

}  // namespace plr::learn

// Which network plays Procgen, whose observations are images?
//
// The residual network of IMPALA (Espeholt et al. 2018):
//
//   three stages of 16, 32 and 32 channels: conv 3x3 -> max-pool 3x3, stride 2 -> two blocks
//   ReLU -> 256 units, ReLU -> logits and value
//
// A block is x + conv(ReLU(conv(ReLU(x)))).  626,256 parameters for 64x64x3 and 15 actions.
#pragma once

#include <tuple>

#include "plr/base/fields.h"
#include "plr/learn/network.h"

namespace plr::learn {

struct ProcgenNetworkConfig {
  bool relu_skip = false;
  static constexpr Field kReluSkip =
      Field{&ProcgenNetworkConfig::relu_skip, "relu_skip",
            "Procgen's residual blocks add ReLU(x), like the in-place ReLU of the released code, "
            "instead of x (E2)"}
          .released(true);

  static constexpr std::tuple kFields{kReluSkip};
};

Network make_procgen_network(const NetworkShape& shape, const ProcgenNetworkConfig& config,
                             Random init, Precision precision, at::Device device);

}  // namespace plr::learn

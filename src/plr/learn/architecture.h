// The architectures of networks and their settings.
//
// A Network carries the settings from which it was built, so that a backend can tell whether it has
// native kernels for it (backend.h).  A further architecture adds its settings here and a
// make_..._network() of its own; without native kernels libtorch computes it.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "plr/base/fields.h"

namespace plr::learn {

// grid_cnn_network.h
struct GridCnnConfig {
  std::int64_t channels = 32;
  static constexpr Field kChannels{
      &GridCnnConfig::channels, "channels", from_to(1, 1 << 12),
      "channels of MiniGrid's last convolution: 32, or 64 for ObstructedMazeGamut (E5)"};

  bool pool = true;
  static constexpr Field kPool =
      Field{&GridCnnConfig::pool, "pool",
            "MiniGrid's 2x2 max-pool after the first convolution; in the released code only (E4)"}
          .paper(false)
          .chosen_by_presets();

  bool shared_hidden = false;
  static constexpr Field kSharedHidden =
      Field{&GridCnnConfig::shared_hidden, "shared_hidden",
            "MiniGrid's policy and value share a hidden layer; in the paper's text only (E3)"}
          .paper(true);

  static constexpr std::tuple kFields{kChannels, kPool, kSharedHidden};
};

// impala_network.h
struct ImpalaConfig {
  bool relu_skip = false;
  static constexpr Field kReluSkip =
      Field{&ImpalaConfig::relu_skip, "relu_skip",
            "Procgen's residual blocks add ReLU(x), like the in-place ReLU of the released code, "
            "instead of x (E2)"}
          .released(true);

  static constexpr std::tuple kFields{kReluSkip};
};

// lstm_network.h
struct LstmConfig {
  std::int64_t lstm_units = 256;
  static constexpr Field kLstmUnits{&LstmConfig::lstm_units, "lstm_units", from_to(1, 1 << 14),
                                    "units of the recurrent network's LSTM"};

  static constexpr std::tuple kFields{kLstmUnits};
};

// std::monostate: an architecture that only libtorch computes.
using Architecture = std::variant<std::monostate, GridCnnConfig, ImpalaConfig, LstmConfig>;

}  // namespace plr::learn

// The architectures of networks and their settings.
//
// A Network carries the settings from which it was built, so that a backend can tell whether it has
// native kernels for it (backend.h).  A further architecture adds its settings here and a
// make_..._network() of its own; without native kernels libtorch computes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

  std::string encoder_sizes = "64";
  static constexpr Field kEncoderSizes{
      &LstmConfig::encoder_sizes, "encoder_sizes",
      "units of the tanh layers before the LSTM, such as 64,64, for observations of floats"};

  static constexpr std::tuple kFields{kLstmUnits, kEncoderSizes};
};

enum class Activation : std::uint8_t { kTanh, kRelu };
constexpr std::array<std::string_view, 2> enum_names(Activation) { return {"tanh", "relu"}; }
constexpr std::array<std::string_view, 2> enum_texts(Activation) {
  return {"the hyperbolic tangent", "0 below 0, the identity above"};
}

// mlp_network.h
struct MlpConfig {
  std::string hidden_sizes = "64,64";
  static constexpr Field kHiddenSizes{&MlpConfig::hidden_sizes, "hidden_sizes",
                                      "units of the hidden layers of network = mlp"};

  Activation activation = Activation::kTanh;
  static constexpr Field kActivation{&MlpConfig::activation, "activation",
                                     "of the hidden layers of network = mlp"};

  bool shared_trunk = false;
  static constexpr Field kSharedTrunk{&MlpConfig::shared_trunk, "shared_trunk",
                                      "policy and value of network = mlp share the hidden layers"};

  static constexpr std::tuple kFields{kHiddenSizes, kActivation, kSharedTrunk};
};

// cnn_network.h
struct CnnConfig {
  std::string conv_layers = "32x8/4,64x4/2,64x3/1";
  static constexpr Field kConvLayers{
      &CnnConfig::conv_layers, "conv_layers",
      "convolutions of network = cnn: a list of FILTERSxKERNEL/STRIDE"};

  std::int64_t cnn_units = 512;
  static constexpr Field kCnnUnits{&CnnConfig::cnn_units, "cnn_units", from_to(1, 1 << 16),
                                   "units of the hidden layer of network = cnn"};

  static constexpr std::tuple kFields{kConvLayers, kCnnUnits};
};

// std::monostate: an architecture that only libtorch computes.
using Architecture =
    std::variant<std::monostate, GridCnnConfig, ImpalaConfig, LstmConfig, MlpConfig, CnnConfig>;

}  // namespace plr::learn

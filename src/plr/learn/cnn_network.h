// A plain convolutional network for images of any size: by default the one of Mnih et al. 2015,
// which is the CnnPolicy of Stable-Baselines3.
//
//   image -> conv 8x8/4, 32 -> ReLU -> conv 4x4/2, 64 -> ReLU -> conv 3x3/1, 64 -> ReLU
//         -> 512 ReLU units -> policy
//                           -> value
//
// Sizes are settings (CnnConfig in architecture.h).  Bytes are divided by 255; floats are used as
// they are.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

// Throws std::invalid_argument if conv_layers is not a list of layers, or if the image is too small
// for them.
Network make_cnn_network(const NetworkShape& shape, const CnnConfig& config, Random init,
                         Precision precision, at::Device device);

}  // namespace plr::learn

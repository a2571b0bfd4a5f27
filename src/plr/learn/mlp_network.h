// A network of fully connected layers, for vectors: the MlpPolicy of Stable-Baselines3.
//
//   observation -> 64 tanh units -> 64 tanh units -> policy
//               -> 64 tanh units -> 64 tanh units -> value
//
// Sizes and activation are settings (MlpConfig in architecture.h); with shared_trunk policy and
// value share the hidden layers.  An image is the vector of its elements, bytes divided by 255.
//
// It is computed in fp32 whatever the precision of the run: it is too small to gain by less.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

// Throws std::invalid_argument if hidden_sizes is not a list of numbers.
Network make_mlp_network(const NetworkShape& shape, const MlpConfig& config, Random init,
                         at::Device device);

}  // namespace plr::learn

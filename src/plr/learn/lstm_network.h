// The recurrent network of the maze benchmark (Dennis et al. 2020, Jiang et al. 2021): a
// convolution and an LSTM, for observations that are small grids of category codes, or floats.
//
//   image / 10 -> conv 3x3, 16 -> ReLU ---+
//   direction, one-hot -> 5 linear units -+-> LSTM, 256 units -> 32 ReLU units -> logits
//                                                             -> 32 ReLU units -> value
//
// With NetworkShape::num_directions the last channel of an observation is the agent's direction,
// the same in all cells; otherwise all channels are the image.  432,929 parameters for 5x5x3, four
// directions and 7 actions.  The initial weights are distributed as in JaxUED.
//
// For observations of floats, vectors or images, tanh layers of LstmConfig::encoder_sizes take the
// place of the convolution:
//
//   observation -> 64 tanh units -> LSTM, 256 units -> ... as above
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

// Throws std::invalid_argument if a grid of bytes is smaller than 3x3, or if encoder_sizes is not a
// list of numbers.
Network make_lstm_network(const NetworkShape& shape, const LstmConfig& config, Random init,
                          Precision precision, at::Device device);

}  // namespace plr::learn

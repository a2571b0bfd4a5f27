// The recurrent network of the maze benchmark (Dennis et al. 2020, Jiang et al. 2021): a
// convolution and an LSTM, for observations that are small grids of category codes.
//
//   image / 10 -> conv 3x3, 16 -> ReLU ---+
//   direction, one-hot -> 5 linear units -+-> LSTM, 256 units -> 32 ReLU units -> logits
//                                                             -> 32 ReLU units -> value
//
// With NetworkShape::num_directions the last channel of an observation is the agent's direction,
// the same in all cells; otherwise all channels are the image.  432,929 parameters for 5x5x3, four
// directions and 7 actions.  The initial weights are distributed as in JaxUED.
#pragma once

#include "plr/learn/network.h"

namespace plr::learn {

// Throws std::invalid_argument if the grid is smaller than 3x3.
Network make_lstm_network(const NetworkShape& shape, const LstmConfig& config, Random init,
                          Precision precision, at::Device device);

}  // namespace plr::learn

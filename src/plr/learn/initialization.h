// Initial weights of a network.
//
// Random numbers of one stream, computed in double precision with additions, multiplications,
// divisions, square roots and comparisons only, which every machine rounds alike.  So the same seed
// gives the same weights on any device, with any libraries and any number of threads.
//
//   Random init = streams.named("init");
//   const std::vector<double> weight = orthogonal(7, 64, 0.01, init);   // [7, 64], row by row
//
// The functions advance the stream that they are given.  Thread-safe for different streams.
#pragma once

#include <cstdint>
#include <vector>

#include "plr/base/random.h"

namespace plr::learn {

// One draw of the standard normal distribution, by Karney's exact rejection method ("Sampling
// exactly from the normal distribution", 2016), which needs no logarithm, cosine or table.
double standard_normal(Random& random);

// A [rows, cols] matrix with orthonormal rows (columns, if there are fewer of them) times
// `gain`, uniformly distributed (Saxe et al. 2014).
std::vector<double> orthogonal(std::int64_t rows, std::int64_t cols, double gain, Random& random);

// `count` numbers of a normal distribution that is truncated at two standard deviations and has a
// standard deviation of 1 / sqrt(fan_in) after that.
std::vector<double> truncated_normal(std::int64_t count, std::int64_t fan_in, Random& random);

// `count` numbers uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
std::vector<double> xavier_uniform(std::int64_t count, std::int64_t fan_in, std::int64_t fan_out,
                                   Random& random);

}  // namespace plr::learn

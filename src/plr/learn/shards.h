// How a gradient is divided into parts that several ranks can compute.
//
// The slots of a run are divided into shards, consecutive parts of equal size.  A mini-batch takes
// equally many samples of each.  The gradients of the shards are computed separately and added in
// a binary tree over the shards, so that weights depend on the number of shards and not on which
// rank computes which:
//
//   Shards shards = {.count = 4, .first = 2, .own = 2, .sum_over_ranks = ...};   // rank 1 of 2
//   Ppo ppo(*backend, config, stream, shards);
//
// A plain struct: copyable, without synchronization.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace plr::learn {

struct Shards {
  std::int64_t count = 1;  // of the run, a power of two
  std::int64_t first = 0;  // those of this rank: first..first + own - 1
  std::int64_t own = 1;    // a power of two
  // Replaces a flat tensor by its sum over ranks, added in a binary tree over ranks.  Empty: there
  // is one rank.
  std::function<void(at::Tensor&)> sum_over_ranks = {};
};

}  // namespace plr::learn

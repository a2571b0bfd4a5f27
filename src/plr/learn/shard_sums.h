// The gradients and losses of this rank's shards, and their mean over all shards.
//
//   ShardSums sums(shards, parameters);
//   sums.store(losses, position);     // after each shard's backward pass; only enqueues work
//   sums.exchange();                  // waits for the other ranks
//   at::Tensor losses = sums.take();  // the gradients are those of all shards
//
// Keeps a reference to the parameters, whose gradients it reads and replaces.  Not copyable.  Not
// thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "plr/learn/parameters.h"
#include "plr/learn/shards.h"

namespace plr::learn {

class ShardSums {
 public:
  ShardSums(const Shards& shards, Parameters& parameters);
  ShardSums(const ShardSums&) = delete;
  ShardSums& operator=(const ShardSums&) = delete;

  // Copies gradients and losses [LossColumn::kCount] of the shard at `position`, an int64 tensor
  // [1] on the device: the number of shards that this rank has stored since the first mini-batch.
  void store(const at::Tensor& losses, const at::Tensor& position);

  // Adds the stored gradients and losses, here and then over ranks.
  void exchange();

  // Replaces the parameters' gradients by their mean over all shards; returns the mean losses.
  at::Tensor take();

 private:
  Shards shards_;
  Parameters& parameters_;
  at::Tensor stored_;  // [own shards, gradients and losses]
  at::Tensor sum_;     // [gradients and losses]
};

}  // namespace plr::learn

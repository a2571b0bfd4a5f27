#include "plr/learn/shard_sums.h"

#include <ATen/ATen.h>

#include "plr/learn/columns.h"

namespace plr::learn {

ShardSums::ShardSums(const Shards& shards, Parameters& parameters)
    : shards_(shards), parameters_(parameters) {
  const at::Tensor& grads = parameters.grads();
  stored_ = at::zeros({shards.own, grads.numel() + LossColumn::kCount}, grads.options());
  sum_ = at::zeros({stored_.size(1)}, grads.options());
}

void ShardSums::store(const at::Tensor& losses, const at::Tensor& position) {
  const at::Tensor row = at::cat({parameters_.grads(), losses}).unsqueeze(0);
  stored_.index_copy_(0, position.remainder(shards_.own), row);
}

// A tree over this rank's shards, whose root is a node of the tree over all.
void ShardSums::exchange() {
  at::Tensor rows = stored_;
  while (rows.size(0) > 1) {
    const at::Tensor pairs = rows.view({rows.size(0) / 2, 2, rows.size(1)});
    rows = pairs.select(1, 0) + pairs.select(1, 1);
  }
  sum_.copy_(rows[0]);
  if (shards_.sum_over_ranks) shards_.sum_over_ranks(sum_);
}

at::Tensor ShardSums::take() {
  // The number of shards is a power of two: the product is exact.
  const double scale = 1.0 / static_cast<double>(shards_.count);
  const at::Tensor& grads = parameters_.grads();
  grads.copy_(sum_.slice(0, 0, grads.numel()) * scale);
  return sum_.slice(0, grads.numel()) * scale;
}

}  // namespace plr::learn

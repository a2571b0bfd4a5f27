#include "plr/learn/mixreg.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace plr::learn {

double draw_beta(double alpha, Random& random) {
  // X = U^(1/alpha) and Y = V^(1/alpha), accepted if X + Y <= 1, give X / (X + Y); for a small
  // alpha both underflow, but their logarithms do not.
  for (;;) {
    const double log_x = std::log(1 - random.uniform()) / alpha;
    const double log_y = std::log(1 - random.uniform()) / alpha;
    const double larger = std::max(log_x, log_y);
    const double log_sum = larger + std::log1p(std::exp(-std::abs(log_x - log_y)));
    if (log_sum <= 0) return std::exp(log_x - log_sum);
  }
}

MixedPair mixed_pair(double lambda, std::int64_t sample, std::int64_t partner) {
  return lambda > 0.5 ? MixedPair{lambda, sample, partner} : MixedPair{1 - lambda, partner, sample};
}

Minibatch mixed(const Minibatch& minibatch, const MixedPairs& pairs, bool normalize) {
  const auto mix = [&](const at::Tensor& x, const at::Tensor& weight) {
    return at::lerp(x.index_select(0, pairs.other).to(at::kFloat),
                    x.index_select(0, pairs.dominant).to(at::kFloat), weight);
  };
  // All numbers of a sample in one row, so that they are mixed by one operation.
  const at::Tensor numbers = mix(at::stack({minibatch.old_log_probs, minibatch.old_values,
                                            minibatch.advantages, minibatch.returns},
                                           1),
                                 pairs.weight.unsqueeze(1));
  Minibatch result;
  result.obs = mix(minibatch.obs, pairs.weight.view({-1, 1, 1, 1}));
  result.actions = minibatch.actions.index_select(0, pairs.dominant);
  result.old_log_probs = numbers.select(1, 0);
  result.old_values = numbers.select(1, 1);
  result.advantages = numbers.select(1, 2);
  result.returns = numbers.select(1, 3);
  if (normalize) {
    const at::Tensor a = result.advantages;
    result.advantages = (a - a.mean()) / (a.std(/*unbiased=*/false) + 1e-8);
  }
  return result;
}

Mixreg::Mixreg(const MixregConfig& config, at::Device device, const Random& stream)
    : config_(config), device_(device), stream_(stream) {
  check_fields(config);
  if (config.alpha == 0) throw std::invalid_argument("mixreg must be above 0, not 0");
}

void Mixreg::begin(std::int64_t num_minibatches, std::int64_t size) {
  if (weights_.defined() && host_weights_.size(0) == num_minibatches &&
      host_weights_.size(1) == size) {
    return;
  }
  const auto host = at::TensorOptions().pinned_memory(device_.is_cuda());
  host_weights_ = at::empty({num_minibatches, size}, host.dtype(at::kFloat));
  host_indices_ = at::empty({num_minibatches, 2, size}, host.dtype(at::kLong));
  weights_ = at::empty({size}, at::TensorOptions(device_));
  indices_ = at::empty({2, size}, at::TensorOptions(device_).dtype(at::kLong));
}

// Each mini-batch has its own part of the host's memory: the device may still read the previous
// one.
void Mixreg::prepare(std::int64_t minibatch) {
  const at::Tensor host_weights = host_weights_[minibatch];
  const at::Tensor host_indices = host_indices_[minibatch];
  auto* weight = host_weights.mutable_data_ptr<float>();
  auto* dominant = host_indices[0].mutable_data_ptr<std::int64_t>();
  auto* other = host_indices[1].mutable_data_ptr<std::int64_t>();
  const auto size = static_cast<std::size_t>(host_weights.size(0));

  // The random permutation of partners is stored where the others will be.
  const std::span partners(other, size);
  std::iota(partners.begin(), partners.end(), 0);
  stream_.shuffle(partners);
  for (std::size_t k = 0; k < size; ++k) {
    const MixedPair pair =
        mixed_pair(draw_beta(config_.alpha, stream_), static_cast<std::int64_t>(k), other[k]);
    weight[k] = static_cast<float>(pair.weight);
    dominant[k] = pair.dominant;
    other[k] = pair.other;
  }
  weights_.copy_(host_weights, /*non_blocking=*/true);
  indices_.copy_(host_indices, /*non_blocking=*/true);
}

void Mixreg::transform(Minibatch& minibatch) const {
  minibatch = mixed(minibatch, {weights_, indices_[0], indices_[1]}, config_.normalize);
}

}  // namespace plr::learn

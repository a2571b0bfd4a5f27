#include "plr/learn/obs_normalizer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace plr::learn {
namespace {

constexpr double kEpsilon = 1e-8;  // added to the variance: an element may be constant

}  // namespace

ObsNormalizer::ObsNormalizer(const ObsNormalizerConfig& config,
                             const std::array<std::int64_t, 3>& shape, at::Device device)
    : clip_(config.clip),
      mean_(at::zeros(shape, at::TensorOptions(device))),
      variance_(at::ones(shape, at::TensorOptions(device))),
      count_(at::zeros({1}, at::TensorOptions(device))) {}

at::Tensor ObsNormalizer::apply(const at::Tensor& obs) const {
  return ((obs - mean_) * (variance_ + kEpsilon).rsqrt()).clamp(-clip_, clip_);
}

at::Tensor ObsNormalizer::moments(const at::Tensor& obs) {
  const at::NoGradGuard no_grad;
  const at::Tensor numbers = obs.to(at::kDouble);
  const at::Tensor mean = numbers.mean(0);
  return at::stack({mean, (numbers - mean).square().sum(0)});
}

// Combines two sets of moments (Chan et al. 1979), in double precision; the statistics are floats,
// so that a checkpoint has all of them.
void ObsNormalizer::add(const at::Tensor& moments, std::int64_t added) {
  const at::NoGradGuard no_grad;
  const at::Tensor here = moments.to(mean_.device());
  const auto added_count = static_cast<double>(added);
  const at::Tensor count = count_.to(at::kDouble);
  const at::Tensor total = count + added_count;
  const at::Tensor difference = here[0] - mean_;
  const at::Tensor square = variance_.to(at::kDouble) * count + here[1] +
                            difference.square() * (count * added_count / total);
  mean_.copy_(mean_ + difference * (added_count / total));
  variance_.copy_(square / total);
  count_.copy_(total);
}

std::vector<NamedTensor> ObsNormalizer::state() const {
  return {{"obs_mean", mean_}, {"obs_variance", variance_}, {"obs_count", count_}};
}

}  // namespace plr::learn

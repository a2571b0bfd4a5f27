// Normalizes observations: every element by its mean and deviation over all observations so far.
//
//   ObsNormalizer normalizer({.clip = 10}, {1, 1, 4}, device);
//   const at::Tensor x = normalizer.apply(obs);     // floats [B, H, W, C] in [-10, 10]
//   normalizer.add(ObsNormalizer::moments(rollout_obs), n);   // after the update from the rollout
//
// The statistics change between updates only: a rollout and the gradient steps on it use the same
// ones.  Before the first add() they are mean 0 and variance 1.  They are saved like weights.
//
// Copies share their statistics.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

struct ObsNormalizerConfig {
  bool enabled = false;
  static constexpr Field kEnabled{
      &ObsNormalizerConfig::enabled, "normalize_observations",
      "the network's inputs are normalized by their running mean and deviation"};

  double clip = 10;
  static constexpr Field kClip{&ObsNormalizerConfig::clip, "observation_clip", above(0),
                               "normalized observations are clipped to +- this"};

  static constexpr std::tuple kFields{kEnabled, kClip};
};

class ObsNormalizer {
 public:
  ObsNormalizer(const ObsNormalizerConfig& config, const std::array<std::int64_t, 3>& shape,
                at::Device device);

  // Floats [B, H, W, C].
  at::Tensor apply(const at::Tensor& obs) const;
  // The moments of observations, [n, H, W, C] bytes or floats: [2, H, W, C] doubles, the mean and
  // the sum of squared differences from it.
  static at::Tensor moments(const at::Tensor& obs);
  // Adds `count` observations with these moments, on any device, to the statistics.
  void add(const at::Tensor& moments, std::int64_t count);

  // obs_mean, obs_variance and obs_count, as views.
  std::vector<NamedTensor> state() const;

 private:
  double clip_;
  at::Tensor mean_;      // [H, W, C]
  at::Tensor variance_;  // [H, W, C], of the population
  at::Tensor count_;     // [1]: observations so far
};

}  // namespace plr::learn

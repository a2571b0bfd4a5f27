// Mixreg (Wang et al. 2020): training on convex combinations of samples.
//
// Before the forward pass of a mini-batch, each sample k gets a random partner, and both are
// replaced by
//
//   lambda * (the dominant one)  +  (1 - lambda) * (the other),     lambda >= 1/2
//
// of observations, returns, advantages, old values and old log-probabilities; the action is the
// dominant one's.  lambda is the larger of x and 1 - x, with x drawn from Beta(alpha, alpha): with
// the paper's alpha of 0.01, 96 % of samples have a lambda above 0.99.
//
//   Mixreg mixreg({.alpha = 0.01}, device, streams.named("mixreg"));
//   mixreg.begin(num_minibatches, size);
//   mixreg.prepare(0);
//   mixreg.transform(minibatch);
//
// The host draws, into memory that an update fills once, so that it never waits for the device.
//
// Movable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>

#include "plr/base/fields.h"
#include "plr/base/random.h"
#include "plr/learn/ppo.h"

namespace plr::learn {

struct MixregConfig {
  double alpha = 0;
  static constexpr Field kAlpha{
      &MixregConfig::alpha, "mixreg", from_to(0, 1),
      "alpha of mixreg, which trains on mixtures of samples: 0 for none, 0.01 in the paper"};

  bool normalize = false;
  static constexpr Field kNormalize{
      &MixregConfig::normalize, "mixreg_normalize",
      "mixed advantages are normalized again in each mini-batch, like in mixreg's code (F7)"};

  static constexpr std::tuple kFields{kAlpha, kNormalize};
};

// A draw from Beta(alpha, alpha), 0 < alpha <= 1, in logarithms for small alpha (Joehnk 1964).
double draw_beta(double alpha, Random& random);

// Two samples that are mixed: the dominant one has the larger weight.
struct MixedPair {
  double weight = 1;  // of the dominant one
  std::int64_t dominant = 0;
  std::int64_t other = 0;
};
MixedPair mixed_pair(double lambda, std::int64_t sample, std::int64_t partner);

// The same for a mini-batch, on the device.
struct MixedPairs {
  at::Tensor weight;    // [B] floats
  at::Tensor dominant;  // [B] int64
  at::Tensor other;     // [B] int64
};
Minibatch mixed(const Minibatch& minibatch, const MixedPairs& pairs, bool normalize);

class Mixreg {
 public:
  // Throws std::invalid_argument naming a bad field; alpha must be above 0.
  Mixreg(const MixregConfig& config, at::Device device, const Random& stream);

  // Called as PpoHooks (ppo.h).
  void begin(std::int64_t num_minibatches, std::int64_t size);
  void prepare(std::int64_t minibatch);
  void transform(Minibatch& minibatch) const;

  // The complete state between two updates.
  Random& stream() { return stream_; }
  const Random& stream() const { return stream_; }

 private:
  MixregConfig config_;
  at::Device device_;
  Random stream_;
  at::Tensor host_weights_;  // [minibatches, B] floats, this and the next pinned with CUDA
  at::Tensor host_indices_;  // [minibatches, 2, B] int64: dominant, other
  at::Tensor weights_;       // [B], this and the next on the device, of the current mini-batch
  at::Tensor indices_;       // [2, B]
};

}  // namespace plr::learn

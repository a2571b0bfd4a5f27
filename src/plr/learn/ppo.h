// How does the agent learn from a rollout?
//
// Proximal policy optimization (Schulman et al. 2017).  Over a few epochs, in mini-batches of a
// fresh random order, it lowers
//
//   policy loss  -mean min(ratio A, clip(ratio) A),  ratio = pi(a) / pi_when_taken(a)
//   + value_coef * value loss  0.5 mean max((V - R)^2, (V_clipped - R)^2)
//   - entropy_coef * entropy
//
// by Adam on a gradient of clipped length:
//
//   Ppo ppo(network, {.epochs = 4}, streams.named("minibatches"));
//   compute_advantages(rollout, 0.999, 0.95);
//   const PpoStats stats = ppo.update(rollout);
//
// Methods that change what is learned from, or add to the loss, do so through PpoHooks.
//
// Keeps a reference to the network, whose weights it changes.  Movable.  Not synchronized.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/random.h"
#include "plr/learn/adam.h"
#include "plr/learn/network.h"
#include "plr/learn/repeated.h"
#include "plr/learn/rollout.h"

namespace plr::learn {

struct PpoConfig {
  int epochs = 3;
  static constexpr Field kEpochs{&PpoConfig::epochs, "epochs", from_to(1, 1000),
                                 "passes over a rollout: 3 in the paper for Procgen, 4 for "
                                 "MiniGrid"};

  int num_minibatches = 8;
  static constexpr Field kNumMinibatches{
      &PpoConfig::num_minibatches, "num_minibatches", from_to(1, 1 << 20),
      "mini-batches of equal size per epoch; the remainder is left out"};

  double clip = 0.2;
  static constexpr Field kClip{&PpoConfig::clip, "clip", above(0),
                               "how far the ratio may move from 1, and the value from the old one"};

  bool clip_value_loss = true;
  static constexpr Field kClipValueLoss{
      &PpoConfig::clip_value_loss, "clip_value_loss",
      "the value loss is clipped too, like in the released code (E6)"};

  double value_coef = 0.5;
  static constexpr Field kValueCoef{&PpoConfig::value_coef, "value_coef", at_least(0),
                                    "weight of the value loss"};

  double entropy_coef = 0.01;
  static constexpr Field kEntropyCoef{&PpoConfig::entropy_coef, "entropy_coef", at_least(0),
                                      "weight of the policy's entropy"};

  bool normalize_advantages = true;
  static constexpr Field kNormalizeAdvantages{
      &PpoConfig::normalize_advantages, "normalize_advantages",
      "advantages are normalized over the rollout to mean 0 and deviation 1 (E6)"};

  AdamConfig adam = {};

  static constexpr std::tuple kFields{kEpochs,
                                      kNumMinibatches,
                                      kClip,
                                      kClipValueLoss,
                                      kValueCoef,
                                      kEntropyCoef,
                                      kNormalizeAdvantages,
                                      Nested{&PpoConfig::adam}};
};

// The samples of one step, on the network's device.
struct Minibatch {
  at::Tensor obs;            // [B, H, W, C] bytes, or floats on the same scale
  at::Tensor actions;        // [B] int64
  at::Tensor old_log_probs;  // [B], this and what follows floats
  at::Tensor old_values;     // [B]
  at::Tensor advantages;     // [B], normalized
  at::Tensor returns;        // [B]
};

// Where a method enters the update; empty functions do nothing.  All but begin and prepare order
// work for the device alone.
struct PpoHooks {
  // Before an update learns from a rollout, in so many mini-batches of so many samples.
  std::function<void(const Rollout&, std::int64_t num_minibatches, std::int64_t size)> begin = {};
  // Which of a few kinds this update is, where the functions below differ between updates; those of
  // one kind order the same work on the same tensors each time (repeated.h).
  std::function<std::int64_t()> kind = {};
  // Before each of them, counted from 0.  Whatever is random is drawn here, so that the following
  // do nothing but compute on the device.
  std::function<void(std::int64_t minibatch)> prepare = {};
  // Changes a mini-batch before it is learned from, by giving its fields new tensors.
  std::function<void(Minibatch&)> transform = {};
  // More observations, which the network sees in the same pass.
  std::function<at::Tensor(const Minibatch&)> more_obs = {};
  // A further term of the loss, a scalar on the device, from a mini-batch, what the network made of
  // it, and what it made of more_obs.
  std::function<at::Tensor(const Minibatch&, const Output&, const Output& more)> extra_loss = {};
  // Puts the samples 0..T*N-1 (step * N + slot) of an epoch in order; if empty, a shuffle.
  std::function<void(std::span<std::int64_t>)> order = {};
};

// What one mini-batch showed, or the mean of many.
struct PpoLosses {
  double value_loss = 0;  // with its factor 0.5, without value_coef
  double policy_loss = 0;
  double entropy = 0;
  double extra_loss = 0;
  double total = 0;
  double grad_norm = 0;      // before clipping
  double clip_fraction = 0;  // of samples whose ratio is further from 1 than `clip`
  double approx_kl = 0;      // mean of (ratio - 1) - log ratio, an estimate of KL(old || new)
};

struct PpoStats {
  PpoLosses mean;
  double explained_variance = 0;       // of the returns, by the values at collection; 1 is perfect
  std::vector<PpoLosses> minibatches;  // in the order in which they were learned from
};

class OwnStep;

class Ppo {
 public:
  // Throws std::invalid_argument naming a bad field.
  Ppo(Network& network, const PpoConfig& config, Random minibatches,
      Kernels kernels = Kernels::kAuto);

  // Learns from a rollout whose advantages and returns are computed.  Throws std::invalid_argument
  // if it has fewer samples than mini-batches, and std::runtime_error if a loss or gradient is not
  // finite: the weights are then as the mini-batch before left them.
  PpoStats update(const Rollout& rollout);

  void set_hooks(PpoHooks hooks);

  // Weights, moments and step count by name, as views: copy_by_name() saves and restores them.
  std::vector<NamedTensor> state() const;
  // The other half of an exact resume.
  Random& stream() { return stream_; }

 private:
  void prepare(const Rollout& rollout, std::int64_t size);
  void load(const Rollout& rollout);
  void draw_orders();
  Minibatch gather();
  void learn_from(const Minibatch& minibatch);
  PpoStats summary(const Rollout& rollout) const;

  Network& network_;
  PpoConfig config_;
  Random stream_;
  PpoHooks hooks_;
  Adam adam_;
  std::shared_ptr<OwnStep> own_;  // none where libtorch computes (own_step.h)
  // All of an update happens on these tensors, S mini-batches of B samples; the host_ ones are
  // pinned with CUDA.
  at::Tensor broken_;        // [] float: 1 from the first bad mini-batch of an update on
  at::Tensor obs_;           // [(T+1) * N, H, W, C] bytes, the rollout's own
  at::Tensor host_samples_;  // [T * N, 5] floats: a row per sample
  at::Tensor samples_;       // the same on the device
  at::Tensor host_orders_;   // [S, B] int64: the samples of each mini-batch
  at::Tensor orders_;        // the same on the device
  at::Tensor position_;      // [1] int64: the mini-batch that comes next
  at::Tensor table_;         // [S, 8] floats: PpoLosses of each
  std::map<std::int64_t, Repeated> steps_;  // by PpoHooks::kind
};

}  // namespace plr::learn

// Proximal policy optimization (Schulman et al. 2017): updates a network from a rollout.
//
// Over a few epochs, in mini-batches of a new random permutation each, it minimizes
//
//   policy loss  -mean min(ratio A, clip(ratio) A),  ratio = pi(a) / pi_when_taken(a)
//   + value_coef * value loss  0.5 mean max((V - R)^2, (V_clipped - R)^2)
//   - entropy_coef * entropy
//
// by Adam on a gradient that is clipped by its norm:
//
//   Ppo ppo(*backend, {.epochs = 4}, streams.named("minibatches"));
//   compute_advantages(rollout, 0.999, 0.95);
//   const PpoStats stats = ppo.update(rollout);
//
// Ppo draws permutations, copies samples to the device and calls hooks; the backend (backend.h)
// computes.  On CUDA a gradient step is recorded as a CUDA graph.  Methods that change the samples
// or add to the loss do so through PpoHooks.
//
// The mini-batches of a recurrent network are whole sequences: all steps of some slots.
//
// With several shards (shards.h) every shard has a permutation of its own, and a mini-batch
// consists of equal parts of them.  Tables and permutations are those of all ranks, so that
// advantages are normalized over all samples.
//
// Keeps a reference to the backend, whose network it changes.  Movable.  Not thread-safe.
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
#include "plr/learn/backend.h"
#include "plr/learn/cuda_graph.h"
#include "plr/learn/minibatch.h"
#include "plr/learn/network.h"
#include "plr/learn/rollout.h"
#include "plr/learn/shard_sums.h"
#include "plr/learn/shards.h"

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

  bool minibatch_advantages = false;
  static constexpr Field kMinibatchAdvantages{
      &PpoConfig::minibatch_advantages, "minibatch_advantages",
      "advantages are normalized over each mini-batch, with the population's deviation, instead of "
      "over the rollout"};

  AdamConfig adam = {};

  static constexpr std::tuple kFields{kEpochs,
                                      kNumMinibatches,
                                      kClip,
                                      kClipValueLoss,
                                      kValueCoef,
                                      kEntropyCoef,
                                      kNormalizeAdvantages,
                                      kMinibatchAdvantages,
                                      Nested{&PpoConfig::adam}};
};

// Where a method enters the update; empty functions do nothing.  All but begin, kind, prepare and
// permute only enqueue work for the device.
struct PpoHooks {
  // Before an update from a rollout, in `num_minibatches` mini-batches of `size` samples.  With
  // several shards, here and below every shard's part is a mini-batch.
  std::function<void(const Rollout&, std::int64_t num_minibatches, std::int64_t size)> begin = {};
  // Identifies the work of this update where the functions below differ between updates; those of
  // one kind enqueue the same work on the same tensors each time (cuda_graph.h).
  std::function<std::int64_t()> kind = {};
  // Before each mini-batch, counted from 0, also before those of other ranks.  Draws whatever is
  // random, so that the functions below only compute on the device.
  std::function<void(std::int64_t minibatch)> prepare = {};
  // Changes a mini-batch before the forward pass, by giving its fields new tensors.
  std::function<void(Minibatch&)> transform = {};
  // Further observations for the same forward pass.
  std::function<at::Tensor(const Minibatch&)> more_obs = {};
  // A further term of the loss, a scalar on the device, from a mini-batch, the network's output for
  // it, and the output for more_obs.
  std::function<at::Tensor(const Minibatch&, const Output&, const Output& more)> extra_loss = {};
  // Permutes the samples 0..T*N-1 (step * N + slot) of an epoch, or the slots 0..N-1 if the network
  // is recurrent, where N is the number of a shard's slots; if empty, a random shuffle.
  std::function<void(std::span<std::int64_t>)> permute = {};
};

// The losses of one mini-batch, or their mean over many; columns.h has the same fields.
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
  double advantage_deviation = 0;      // of the rollout's advantages before normalization
  double explained_variance = 0;       // of the returns, by the values at collection; 1 is perfect
  std::vector<PpoLosses> minibatches;  // in the order of the gradient steps
};

class Ppo {
 public:
  // Throws std::invalid_argument naming a bad field.
  Ppo(Backend& backend, const PpoConfig& config, Random minibatches, const Shards& shards = {});

  // Updates the network from a rollout whose advantages and returns are computed.  Throws
  // std::invalid_argument if a shard has fewer samples than mini-batches, and std::runtime_error if
  // a loss or gradient is not finite: the weights are then those after the previous mini-batch.
  PpoStats update(const Rollout& rollout);

  void set_hooks(PpoHooks hooks);
  // The learning rate of all later updates; that of the config until then.
  void set_learning_rate(double rate) { adam_.set_learning_rate(rate); }

  // Weights, moments and step count by name, as views: copy_by_name() saves and restores them.
  std::vector<NamedTensor> state() const;
  // The other half of an exact resume.
  Random& stream() { return stream_; }

 private:
  // The work of a gradient step, recorded as CUDA graphs.
  struct Graphs {
    CudaGraphRunner pass;  // of a mini-batch, or of a shard's part
    CudaGraphRunner step;  // after the exchange of gradients between shards
  };

  void prepare(const Rollout& rollout, std::int64_t size);
  void load(const Rollout& rollout);
  void load_epoch(std::int64_t epoch);
  void draw_permutations(const Rollout& rollout);
  void normalize_minibatches(const Rollout& rollout, std::int64_t epoch,
                             std::span<const std::vector<std::int64_t>> minibatches);
  void learn_from_next(Graphs& graphs, std::int64_t step);
  at::Tensor compute_gradients();
  PpoStats summary(const Rollout& rollout) const;

  bool has_shards() const { return shards_.count > 1; }
  bool is_own(std::int64_t shard) const {
    return shard >= shards_.first && shard < shards_.first + shards_.own;
  }
  // Whether the host normalizes the advantages of each mini-batch, which spans shards.
  bool normalizes_on_host() const {
    return config_.normalize_advantages && config_.minibatch_advantages && has_shards();
  }

  Backend& backend_;
  PpoConfig config_;
  Random stream_;
  PpoHooks hooks_;
  Shards shards_;
  Adam adam_;
  std::unique_ptr<ShardSums> sums_;  // null if there is one shard
  UpdateTensors tensors_;
  at::Tensor losses_;        // [gradient steps, LossColumn::kCount], on the device
  at::Tensor host_samples_;  // tensors_.samples by epoch; this and what follows pinned with CUDA
  at::Tensor host_wide_actions_;           // tensors_.wide_actions
  at::Tensor host_permutations_;           // tensors_.permutations
  at::Tensor host_resets_;                 // tensors_.resets, of a recurrent network
  double advantage_deviation_ = 0;         // of the last update, before normalization
  std::map<std::int64_t, Graphs> graphs_;  // by PpoHooks::kind
};

}  // namespace plr::learn

// Data-regularized actor-critic (DrAC, Raileanu et al. 2021): policy and value become invariant to
// augmentation.
//
// The loss of every mini-batch gains
//
//   coef * ( KL(pi(.|s) || pi(.|f(s)))  +  0.5 (V(s) - V(f(s)))^2 ),   means over the samples,
//
// where f augments each observation at random, and pi(.|s) and V(s) are held fixed.  Rollouts,
// scores and evaluation use observations without augmentation.
//
// With Augmentation::kUcb a bandit picks f for each update (learn/ucb_bandit.h); it is credited
// with the mean return target of the rollout that follows.
//
//   Drac drac({.augmentation = Augmentation::kCrop}, shape, device, streams.named("augment"));
//   drac.begin(rollout, num_minibatches);
//   drac.prepare(0);
//   const at::Tensor augmented = drac.augmented(minibatch);   // for the same forward pass
//   const at::Tensor loss = drac.loss(output, output_of_augmented);
//
// Movable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/random.h"
#include "plr/learn/augment.h"
#include "plr/learn/network.h"
#include "plr/learn/ppo.h"
#include "plr/learn/rollout.h"
#include "plr/learn/ucb_bandit.h"

namespace plr::learn {

struct DracConfig {
  bool enabled = false;
  static constexpr Field kEnabled{
      &DracConfig::enabled, "drac",
      "penalize a policy and a value that differ between plain and augmented observations"};

  Augmentation augmentation = Augmentation::kUcb;
  static constexpr Field kAugmentation{
      &DracConfig::augmentation, "augmentation",
      "how observations are augmented; ucb: a bandit picks one augmentation per update"};

  double coef = 0.1;
  static constexpr Field kCoef{&DracConfig::coef, "drac_coef", at_least(0),
                               "alpha_r: weight of that penalty in the loss"};

  bool sampled = false;
  static constexpr Field kSampled =
      Field{&DracConfig::sampled, "drac_sampled",
            "policies are compared by one sampled action, like in the released code, instead of by "
            "their exact divergence (F9)"}
          .released(true);

  UcbConfig ucb = {};
  AugmentConfig augment = {};

  static constexpr std::tuple kFields{kEnabled,
                                      kAugmentation,
                                      kCoef,
                                      kSampled,
                                      Nested{&DracConfig::ucb},
                                      Nested{&DracConfig::augment}};
};

// The terms, each a scalar, from logits [B, A] and values [B]; those without augmentation are held
// fixed.
at::Tensor policy_divergence(const at::Tensor& logits, const at::Tensor& augmented_logits);
at::Tensor sampled_divergence(const at::Tensor& actions, const at::Tensor& augmented_logits);
at::Tensor value_difference(const at::Tensor& value, const at::Tensor& augmented_value);

class Drac {
 public:
  // Throws std::invalid_argument naming a bad field, or an augmentation that such observations do
  // not allow.
  Drac(const DracConfig& config, const NetworkShape& shape, at::Device device,
       const Random& augment);

  // Called as PpoHooks (ppo.h).
  void begin(const Rollout& rollout, std::int64_t num_minibatches);
  void prepare(std::int64_t minibatch);
  at::Tensor augmented(const Minibatch& minibatch) const;
  at::Tensor loss(const Output& output, const Output& augmented) const;

  // The augmentation of the current update.
  Augmentation augmentation() const { return augmentation_; }

  // The complete state.  load() throws std::runtime_error, and changes nothing, if the bytes are
  // damaged or of other settings.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  DracConfig config_;
  at::Device device_;
  Random stream_;
  UcbBandit bandit_;
  Augmentation augmentation_;
  at::Tensor keys_;  // [minibatches, 2] int64 on the device: of augmentations, of sampled actions
  at::Tensor key_;   // [2], of the current mini-batch
};

}  // namespace plr::learn

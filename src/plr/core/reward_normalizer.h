// How large is a reward, by this environment's standards?
//
// Rewards are divided by the running deviation of the discounted return, so that one learning rate
// fits all games.  Only their size changes, not their sign.  Every step of all slots is fed once:
//
//   RewardNormalizer normalizer({}, num_slots);
//   normalizer.normalize(rewards, done, normalized);
//
// The statistics are merged batch by batch in double precision.  A value type.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/fields.h"

namespace plr {

struct RewardNormalizerConfig {
  double return_gamma = 0.99;
  double reward_clip = 10;
  double return_epsilon = 1e-8;
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, RewardNormalizerConfig>
void visit_fields(Config& config, Visit&& visit) {
  visit("return_gamma", config.return_gamma, from_to(0, 1),
        "discount of the returns whose deviation scales the rewards (E1: the paper does not say)");
  visit("reward_clip", config.reward_clip, above(0),
        "normalized rewards stay within plus and minus this");
  visit("return_epsilon", config.return_epsilon, above(0), "added to the variance");
}

class RewardNormalizer {
 public:
  RewardNormalizer(const RewardNormalizerConfig& config, std::size_t num_slots);

  // One step of the slots from `first_slot` on, one entry each.
  void normalize(std::span<const double> rewards, std::span<const std::uint8_t> done,
                 std::span<float> out, std::size_t first_slot = 0);

  double mean() const { return mean_; }
  double variance() const { return variance_; }

  std::vector<std::byte> save() const;
  // Throws std::runtime_error on damaged bytes or those of another number of slots.
  void load(std::span<const std::byte> bytes);

 private:
  void update_statistics(std::span<const double> returns);

  RewardNormalizerConfig config_;
  std::vector<double> returns_;  // [slot]: the discounted return of the open episode
  double mean_ = 0;
  double variance_ = 1;
  double count_ = 1e-4;
};

}  // namespace plr

// Normalizes rewards by the running standard deviation of the discounted return.
//
// One learning rate then fits all games. Rewards keep their sign. Every step of all slots is passed
// once:
//
//   RewardNormalizer normalizer({}, num_slots);
//   normalizer.normalize(rewards, done, normalized);
//
// The statistics are merged per call in double precision. O(slots), does not allocate. Copyable.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"

namespace plr {

struct RewardNormalizerConfig {
  bool normalize_rewards = true;
  static constexpr Field kNormalizeRewards{
      &RewardNormalizerConfig::normalize_rewards, "normalize_rewards",
      "rewards are divided by the deviation of the returns and clipped; false: they stay as they "
      "are"};

  double return_gamma = 0.99;
  static constexpr Field kReturnGamma{
      &RewardNormalizerConfig::return_gamma, "return_gamma", from_to(0, 1),
      "discount of the returns whose deviation scales the rewards (E1: not in the paper)"};

  double reward_clip = 10;
  static constexpr Field kRewardClip{&RewardNormalizerConfig::reward_clip, "reward_clip", above(0),
                                     "normalized rewards are clipped to plus and minus this"};

  double return_epsilon = 1e-8;
  static constexpr Field kReturnEpsilon{&RewardNormalizerConfig::return_epsilon, "return_epsilon",
                                        above(0), "added to the variance"};

  static constexpr std::tuple kFields{kNormalizeRewards, kReturnGamma, kRewardClip, kReturnEpsilon};
};

class RewardNormalizer {
 public:
  RewardNormalizer(const RewardNormalizerConfig& config, std::size_t num_slots);

  // Normalizes one step of consecutive slots, starting at `first_slot`, into `out`.
  void normalize(std::span<const double> rewards, std::span<const std::uint8_t> done,
                 std::span<float> out, std::size_t first_slot = 0);

  double mean() const { return mean_; }
  double variance() const { return variance_; }

  std::vector<std::byte> save() const;
  // Throws std::runtime_error if the bytes are damaged or of another number of slots.
  void load(std::span<const std::byte> bytes);

 private:
  void update_statistics(std::span<const double> returns);

  RewardNormalizerConfig config_;
  std::vector<double> returns_;  // [slot]: discounted return of the open episode
  double mean_ = 0;
  double variance_ = 1;
  double count_ = 1e-4;
};

}  // namespace plr

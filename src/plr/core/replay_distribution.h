// Of the levels already seen, which one is replayed?
//
// Each lives in a slot, with the score last measured there and the draw at which it was last
// chosen, its timestamp.  A replay takes slot i with probability
//
//   (1 - staleness_coef) * P_score(i)  +  staleness_coef * P_staleness(i)
//
// where P_score follows the transform of the config and P_staleness(i) is proportional to the
// number of draws since i was chosen.  Slots without a score have P_score 0; if no slot has any
// weight in one of the two parts, that part is uniform over all slots (D24).
//
//   ReplayDistribution replay(config, 200, 200);
//   const auto slot = replay.append(1);        // chosen by draw 1
//   replay.set_score(slot, 0.3);
//   replay.draw(random, 2);                    // the slot that draw 2 replays
//
// draw, stamp and set_score cost O(log slots) and allocate nothing.  Where the weights of the
// proportional or softmax transform would leave the range of a double, all are scaled anew, in
// O(slots).  A value type.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/base/random.h"
#include "plr/base/ranking.h"
#include "plr/base/sum_tree.h"
#include "plr/core/level_replay_config.h"

namespace plr {

class ReplayDistribution {
 public:
  using Slot = Ranking::Slot;

  // At most `capacity` slots.  `num_levels` is how many compete under config.unseen_compete.
  ReplayDistribution(const LevelReplayConfig& config, std::size_t capacity, std::size_t num_levels);

  std::size_t size() const { return size_; }

  // A new slot without a score.
  Slot append(std::int64_t timestamp);
  // The slot was chosen by this draw.
  void stamp(Slot slot, std::int64_t timestamp);
  void set_score(Slot slot, double score);

  bool is_scored(Slot slot) const;
  double score(Slot slot) const { return is_scored(slot) ? scores_[slot] : 0.0; }
  std::int64_t timestamp(Slot slot) const { return timestamps_[slot]; }
  // How stale draw number `now` finds the slot.
  std::int64_t staleness(Slot slot, std::int64_t now) const;

  // The slot that draw number `now` replays.  There must be one.
  Slot draw(Random& random, std::int64_t now) const;

  // P_replay of draw number `now`, for every slot, into a vector that may be used again.
  void probabilities(std::int64_t now, std::vector<double>& out) const;

  // By how much the stored weights are scaled: needed to restore them bit for bit.
  double scale() const { return scale_; }
  void restore_scale(double scale);

 private:
  double base_of(double score) const;
  bool has_weight(double score) const;
  double weight_of(double score) const;
  void set_weight(Slot slot, double score);
  void rescale();

  Slot draw_any(Random& random) const { return static_cast<Slot>(random.below(size_)); }
  Slot draw_by_score(Random& random) const;
  Slot draw_by_rank(Random& random) const;
  Slot draw_best(Random& random) const;
  Slot draw_by_staleness(Random& random, std::int64_t now) const;

  void score_weights(std::vector<double>& weights) const;
  double best_share() const;

  // Levels without a score that rank in between, and the slots that rank ahead of them.
  std::size_t gap() const { return config_.unseen_compete ? num_levels_ - ranking_.size() : 0; }
  std::size_t ahead_of_gap() const;
  double rank_weight(std::size_t rank) const;

  LevelReplayConfig config_;
  std::size_t num_levels_;
  std::size_t size_ = 0;

  std::vector<double> scores_;        // [capacity]; NaN where there is none
  SumTree<std::int64_t> timestamps_;  // [capacity]
  Ranking ranking_;                   // of the scored slots; rank, greedy and their kin
  std::vector<double> mass_after_;    // [r]: the rank weights after rank r added up; rank only
  SumTree<double> weights_;           // [capacity]; proportional and softmax only
  std::size_t num_weighted_ = 0;      // slots whose weight is positive, however small
  double scale_;                      // the score whose weight is 1
};

}  // namespace plr

// The distribution from which level replay draws a seen level.
//
// Each seen level has a slot with its last score and its timestamp, the number of the draw that
// last chose it. Slot i is drawn with probability
//
//   (1 - staleness_coef) * P_score(i)  +  staleness_coef * P_staleness(i)
//
// where P_score is defined by config.transform and P_staleness(i) is proportional to the number of
// draws since i was chosen. Slots without a score have P_score 0. If all weights of one of the two
// parts are 0, that part is uniform over all slots (D24).
//
//   ReplayDistribution replay(config, 200, 200);
//   const auto slot = replay.append(1);        // chosen by draw 1
//   replay.set_score(slot, 0.3);
//   replay.draw(random, 2);                    // the slot that draw 2 replays
//
// draw(), stamp() and set_score() take O(log slots) and do not allocate. If the weights of the
// proportional or softmax transform would leave the range of a double, all of them are rescaled in
// O(slots). Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/base/random.h"
#include "plr/base/ranking.h"
#include "plr/base/sum_tree.h"
#include "plr/core/level_replay_config.h"

namespace plr {

// The largest number of a draw, which loaded states must not exceed: sums of the staleness of 2^24
// slots then stay within 64 bits.
inline constexpr std::int64_t kMaxDraw = std::int64_t{1} << 38;

class ReplayDistribution {
 public:
  using Slot = Ranking::Slot;

  // Holds up to `capacity` slots. `num_levels` levels take part if config.unseen_compete is set.
  ReplayDistribution(const LevelReplayConfig& config, std::size_t capacity, std::size_t num_levels);

  std::size_t size() const { return size_; }

  // Adds a slot without a score.
  Slot append(std::int64_t timestamp);
  // Sets the timestamp of a slot.
  void stamp(Slot slot, std::int64_t timestamp);
  void set_score(Slot slot, double score);

  bool is_scored(Slot slot) const;
  double score(Slot slot) const { return is_scored(slot) ? scores_[slot] : 0.0; }
  std::int64_t timestamp(Slot slot) const { return timestamps_[slot]; }
  // The staleness of the slot at draw number `now`.
  std::int64_t staleness(Slot slot, std::int64_t now) const;

  // The slot that draw number `now` replays. REQUIRES: size() > 0.
  Slot draw(Random& random, std::int64_t now) const;
  // The same by staleness alone.
  Slot draw_by_staleness(Random& random, std::int64_t now) const;

  // The sum of the staleness of all slots at draw number `now`.
  std::int64_t total_staleness(std::int64_t now) const;
  // The scored slots, highest score first; empty for the proportional and softmax transforms.
  const Ranking& ranking() const { return ranking_; }
  // For the rank transform without unseen_compete: the weight of a rank, counted from 1, and the
  // sum of the weights of the scored slots.
  double rank_weight(std::size_t rank) const;
  double total_rank_weight() const { return mass_after_[0] - mass_after_[ranking_.size()]; }

  // Writes P_replay at draw number `now` of every slot to `out`, which is resized.
  void probabilities(std::int64_t now, std::vector<double>& out) const;

  // The scale of the stored weights, which a bitwise identical restore needs.
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

  void score_weights(std::vector<double>& weights) const;
  double best_share() const;

  // The number of levels without a score in the ranking, and of slots before them.
  std::size_t gap() const { return config_.unseen_compete ? num_levels_ - ranking_.size() : 0; }
  std::size_t ahead_of_gap() const;

  LevelReplayConfig config_;
  std::size_t num_levels_;
  std::size_t size_ = 0;

  std::vector<double> scores_;        // [capacity]; NaN without a score
  SumTree<std::int64_t> timestamps_;  // [capacity]
  Ranking ranking_;                   // of the scored slots; for rank, greedy and epsilon-greedy
  std::vector<double> mass_after_;    // [r]: sum of the rank weights after rank r; for rank
  SumTree<double> weights_;           // [capacity]; for proportional and softmax
  std::size_t num_weighted_ = 0;      // slots of positive weight, including those that underflow
  double scale_;                      // the score whose weight is 1
};

}  // namespace plr

// A buffer of levels for curricula that decide once per rollout, as in JaxUED.
//
// Each slot holds a level with
//   score        the learning potential (rollout_scores.h)
//   best return  the highest return of an episode on the level so far, which MaxMC needs
//   timestamp    the clock when the level was last drawn or inserted
// draw() returns slot i with the weight
//
//   (1 - staleness_coef) * P_score(i)  +  staleness_coef * P_staleness(i)
//
// where P_score is defined by config.prioritization and P_staleness(i) is proportional to the time
// since the slot's timestamp. A draw moves the clock by 1, and so does an insert, accepted or not.
//
//   LevelBuffer buffer({.capacity = 1000});
//   buffer.insert(level, score, best_return);       // a new level, after its rollout
//   if (buffer.can_replay()) {
//     const auto [slot, level] = buffer.draw(random);
//     ...                                           // a rollout on the level
//     buffer.update(slot, score, best_return);
//   }
//
// Difference from JaxUED: a score of kUnmeasuredScore leaves the old score of a level in place.
// config.keep_unmeasured = false writes it, so that the level ranks last.
//
// draw() and update() take O(log capacity), and with topk O(topk log capacity). So does insert()
// until the buffer is full. From then on it searches for the slot of least weight by the threshold
// algorithm (Fagin, Lotem and Naor 2003): it walks from the lowest score up and from the freshest
// slot on, at the same pace, and stops once no other slot can have less weight. Of 4,000 slots it
// visits about 20 with JaxUED's settings and 200 with temperature 1; all of them if all have the
// same weight (topk without staleness). draw(), insert() and update() do not allocate. Copyable.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/id_map.h"
#include "plr/base/random.h"
#include "plr/base/ranking.h"
#include "plr/core/curriculum.h"
#include "plr/core/level_buffer_config.h"
#include "plr/core/replay_distribution.h"

namespace plr {

class LevelBuffer {
 public:
  using Slot = ReplayDistribution::Slot;

  struct Draw {
    Slot slot = 0;
    LevelId level = 0;
  };
  struct Entry {
    LevelId level = 0;
    double score = 0;
    double best_return = 0;
    std::int64_t timestamp = 0;
  };

  // Throws std::invalid_argument if a setting is out of bounds.
  explicit LevelBuffer(const LevelBufferConfig& config);

  const LevelBufferConfig& config() const { return config_; }
  std::size_t size() const { return levels_.size(); }
  // The number of draws and inserts.
  std::int64_t clock() const { return clock_; }
  // Whether the buffer is filled enough for draws.
  bool can_replay() const;

  // Inserts a level and returns its slot. A full buffer replaces the slot of least weight, the
  // first of equals, if its score is lower than the new one; otherwise the level is refused and
  // nothing is returned. An unmeasured level is always refused. With config.duplicate_check, a
  // level that the buffer holds is updated and counts as visited. Throws like update().
  std::optional<Slot> insert(LevelId level, double score, double best_return);

  // Draws a slot. REQUIRES: size() > 0.
  Draw draw(Random& random);
  // Marks a slot as drawn, like draw() does; for callers that choose a slot themselves. Throws
  // std::out_of_range if it is empty.
  void choose(Slot slot);

  // Sets score and best return of a slot, also to lower values. Throws std::out_of_range if the
  // slot is empty and std::invalid_argument if a number is neither finite nor kUnmeasuredScore, and
  // then changes nothing.
  void update(Slot slot, double score, double best_return);

  // Throws std::out_of_range if the slot is empty.
  Entry at(Slot slot) const;
  // The best return of a level; nothing if the buffer does not hold it. Without
  // config.duplicate_check the highest of the slots that hold it, in O(capacity).
  std::optional<double> best_return(LevelId level) const;
  // The levels by slot, with the probabilities of the next draw. O(capacity).
  std::vector<LevelWeight> weights() const;

  // The whole state, as bytes. load() throws std::runtime_error if the bytes are damaged or were
  // saved with other settings, and then changes nothing.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  // What the weights of all slots at one time have in common.
  struct Scale {
    double best_score = 0;  // for topk
    double score_weights = 0;
    std::int64_t staleness = 0;
  };

  void check_slot(Slot slot) const;
  void stamp(Slot slot);
  void append(LevelId level, double score, double best_return, std::int64_t timestamp);

  std::int64_t next_draw() const { return clock_ + 1; }
  std::int64_t staleness(Slot slot) const { return clock_ - distribution_.timestamp(slot); }
  Scale scale() const;
  // Not normalized. `rank` is the number of slots before.
  double score_weight(std::size_t rank, double score, const Scale& scale) const;
  double weight(std::size_t rank, double score, std::int64_t staleness, const Scale& scale) const;
  Slot draw_topk(Random& random) const;
  Slot slot_of_least_weight() const;

  LevelBufferConfig config_;
  std::int64_t clock_ = 0;
  ReplayDistribution distribution_;   // over slots; scores and timestamps
  Ranking recency_;                   // slots by timestamp, latest first
  std::vector<LevelId> levels_;       // [slot]
  std::vector<double> best_returns_;  // [slot]
  IdMap slots_;                       // level -> slot; with duplicate_check
};

}  // namespace plr

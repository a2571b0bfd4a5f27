// Which level should the agent train on next?
//
// Prioritized Level Replay (Jiang, Grefenstette and Rocktäschel, ICML 2021).
// For each level seen so far it keeps
//   score      how much the agent may still learn there, as last measured
//   timestamp  the draw at which the level was last chosen
// and next() returns either a level never seen or, drawn from
//
//   (1 - staleness_coef) * P_score  +  staleness_coef * P_staleness,
//
// one that has been (replay_distribution.h).  It knows no environment, network or tensor: the
// collector takes a level, plays it, measures a score (episode_scorer.h) and hands it back.
//
//   LevelReplay replay(LevelSet::range(0, 200), {.staleness_coef = 0.1}, streams.named("levels"));
//   const LevelId level = replay.next();
//   ...  // play an episode there
//   replay.record({.level = level, .score = 0.3, .episode_return = 10});
//
// Of a finite set it remembers every level.  Of a stream it remembers the config.buffer_size levels
// most likely to be replayed: a new level is staged while it is first played; scored, it takes a
// free slot or that of the level least likely to be replayed, if its score is higher than that
// one's, or is forgotten (paper, appendix "Training on the full level distribution").
//
// A draw and a record cost O(log levels); a record that finds the buffer full costs O(buffer_size).
// A value type: a copy goes on with the same draws.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/level_replay_config.h"
#include "plr/core/replay_distribution.h"
#include "plr/core/seen_levels.h"

namespace plr {

class LevelReplay final : public Curriculum {
 public:
  // Throws std::invalid_argument if a setting is out of its bounds or, for a stream, if it has
  // fewer than twice config.buffer_size levels.
  LevelReplay(LevelSet levels, const LevelReplayConfig& config, const Random& random);

  std::vector<LevelId> first(std::size_t num_slots) override;
  LevelId next() override;

  // Takes note that `level` is played next, as next() does with the level it draws; for callers
  // that choose a level themselves.
  void choose(LevelId level);

  // A level of a stream that was forgotten while it was played is ignored.
  void record(const EpisodeResult& result) override;

  const LevelSet& levels() const { return levels_; }
  const LevelReplayConfig& config() const { return config_; }
  // The probability that the next draw is a replay ("P_D").
  double replay_probability() const;
  // How many draws there have been ("c").
  std::int64_t num_draws() const { return num_draws_; }
  // Levels that can be replayed: those seen, or those in the buffer.
  std::size_t num_seen() const { return distribution_.size(); }

  // Of the levels that can be replayed, by slot: in the order in which they were first seen.
  std::vector<LevelWeight> weights() const override;

  std::optional<ReplaySummary> replay_summary() const override {
    return ReplaySummary{num_seen(), num_draws(), replay_probability()};
  }

  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  using Slot = ReplayDistribution::Slot;

  LevelId level_at(Slot slot) const;
  LevelId draw_replay();
  LevelId draw_new();
  void choose_at(LevelId level, std::int64_t timestamp);
  void update_score(Slot slot, double score);
  void record_finite(const EpisodeResult& result);
  void record_staged(const EpisodeResult& result, std::int64_t timestamp);
  Slot slot_to_evict();

  LevelSet levels_;
  LevelReplayConfig config_;
  Random random_;
  std::int64_t num_draws_ = 0;
  ReplayDistribution distribution_;  // over slots

  // Of a finite set.
  SeenLevels seen_;
  std::vector<std::int64_t> drawn_at_;  // [level]; -1 if never; only if seen on their score

  // Of a stream.
  std::vector<LevelId> buffer_;  // [slot]
  IdMap slots_;                  // level -> slot
  IdMap staged_;                 // level played for the first time -> draw that chose it
  std::vector<double> scratch_;  // probabilities, when a slot is to be freed
};

}  // namespace plr

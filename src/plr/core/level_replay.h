// Prioritized Level Replay: a sampler over levels (Jiang, Grefenstette and Rocktäschel, ICML 2021).
//
// For each seen level it keeps
//   score      the learning potential, as last recorded
//   timestamp  the number of the draw that last chose the level
// next() returns an unseen level or replays a seen one, drawn from
//
//   (1 - staleness_coef) * P_score  +  staleness_coef * P_staleness
//
// (replay_distribution.h). The sampler does not depend on environments, networks or tensors: the
// caller plays the level, computes a score (episode_scorer.h) and records it.
//
//   LevelReplay replay(LevelSet::range(0, 200), {.staleness_coef = 0.1}, streams.named("levels"));
//   const LevelId level = replay.next();
//   ...  // play an episode
//   replay.record({.level = level, .score = 0.3, .episode_return = 10});
//
// Of a finite set it keeps every seen level. Of a stream it keeps up to config.buffer_size levels.
// A new level of a stream is staged during its first episode; once scored, it takes a free slot or
// the slot of the level with the least replay probability, if its score is higher than that
// level's; otherwise it is dropped (paper, appendix "Training on the full level distribution").
//
// next() and record() take O(log levels) and, for finite sets, do not allocate; a record that finds
// the buffer full takes O(buffer_size). Copyable; a copy continues the same random stream. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // Throws std::invalid_argument if a setting is out of bounds, or if a stream has fewer than twice
  // config.buffer_size levels.
  LevelReplay(LevelSet levels, const LevelReplayConfig& config, const Random& random);

  std::vector<LevelId> first(std::size_t num_slots) override;
  LevelId next() override;

  // Marks `level` as drawn, like next() does; for callers that choose a level themselves. Throws
  // std::out_of_range if the set does not have it.
  void choose(LevelId level);

  // Ignores a level of a stream that was dropped while it was played.
  void record(const EpisodeResult& result) override;

  const LevelSet& levels() const { return levels_; }
  const LevelReplayConfig& config() const { return config_; }
  // The probability that the next draw is a replay ("P_D").
  double replay_probability() const;
  // The number of draws ("c").
  std::int64_t num_draws() const { return num_draws_; }
  // The number of levels that can be replayed: those seen, or those in the buffer.
  std::size_t num_seen() const { return distribution_.size(); }

  // The levels that can be replayed, those of a finite set in the order in which they were first
  // seen; of a stream, a new level takes the place of the one that it replaces.
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

  // For finite sets.
  SeenLevels seen_;
  std::vector<std::int64_t> drawn_at_;  // [level]; -1 if never; for SeenOn::kScore

  // For streams.
  std::vector<LevelId> buffer_;  // [slot]
  IdMap slots_;                  // level -> slot
  IdMap staged_;                 // level in its first episode -> number of its draw
  std::vector<double> scratch_;  // probabilities, to find the slot to evict
};

}  // namespace plr

// Processes the steps of all slots in order: normalizes rewards, scores and records episodes, and
// draws the next levels.
//
//   Bookkeeper books({&curriculum, &scorer, normalizer}, num_slots);
//   books.draw_first_levels();
//   for (const Start& start : books.book(records, step, rollout)) ...   // start it
//   books.end_rollout(records, rollout);
//
// All episodes that end at a step are recorded before the next levels are drawn, in slot order.
// Whatever depends on order happens here, so that slots may be played in any order.
//
// Without a curriculum every slot repeats the level of begin_rollout() until the rollout ends.
//
// Does not allocate in steady state.  The parts must outlive it.  Copyable with shared parts.  Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/collect/episode_window.h"
#include "plr/collect/slot_tasks.h"
#include "plr/collect/step_tables.h"
#include "plr/core/curriculum.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/reward_normalizer.h"

namespace plr::collect {

class Bookkeeper {
 public:
  struct Parts {
    Curriculum* curriculum;  // this and the next are null if slots repeat their levels
    EpisodeScorer* scorer;
    RewardNormalizer& normalizer;
  };

  Bookkeeper(const Parts& parts, std::size_t num_slots);

  // The first level of every slot.
  // REQUIRES: there is a curriculum.
  std::span<const LevelId> draw_first_levels();
  // The levels of a rollout that are repeated, one per slot. Open episodes are abandoned.
  void begin_rollout(std::span<const LevelId> levels);

  // Processes a step of all slots and fills its row of the rollout.  Returns the levels to start in
  // the slots whose episodes have ended, none if slots repeat their levels; valid until the next
  // call.
  std::span<const Start> book(std::span<const StepRecord> records, std::size_t step,
                              StepTables& rollout);

  // Bootstraps open episodes with the values after the last step, which fill the last row.
  void end_rollout(std::span<const StepRecord> records, StepTables& rollout);

  // Whether the next step of a slot is the first of its episode.
  bool begins_episode(std::size_t slot) const { return lengths_[slot] == 0; }
  // The levels being played, by slot.
  std::span<const LevelId> levels() const { return levels_; }

  // The most recent training episodes.
  const EpisodeWindow& episodes() const { return window_; }

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void end_episode(std::size_t slot, bool is_solved);
  void record_due_results();

  Parts parts_;
  std::vector<LevelId> levels_;        // [N], being played
  std::vector<double> returns_;        // [N], of the open episodes, not normalized
  std::vector<std::int64_t> lengths_;  // [N], of the open episodes
  std::vector<double> rewards_;        // [N], of the step being processed, not normalized
  std::vector<Start> starts_;
  EpisodeWindow window_;
};

}  // namespace plr::collect

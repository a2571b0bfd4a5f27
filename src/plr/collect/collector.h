// Fills rollouts: plays N slots and reports finished episodes to the curriculum.
//
//   StepLog log({.num_steps = 256, .num_slots = 64});
//   Collector collector({env, &curriculum, &scorer, normalizer, inference, log}, stream);
//   collector.begin();           // once: first levels, first observations
//   collector.fill(rollout);     // 256 steps of every slot
//
// Without a curriculum a rollout starts given levels, which every slot repeats until it ends:
//
//   collector.fill(rollout, plan.levels);
//
// Slots run ahead of each other.  A slot waits for the result of its inference (batch_queue.h) and,
// if its episode has ended, until all other slots have finished the same step, since its next level
// depends on their results (bookkeeper.h).  Nothing else depends on order: the rollout is bitwise
// identical for any number of workers and any timing.
//
// With several ranks each one plays its own slots, reads the steps of all from the log
// (step_log.h), and processes all of them, so that tables, curriculum, scores and rewards are the
// same on every rank, and the same as with one.
//
// The parts must outlive the collector.  Not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/batch_queue.h"
#include "plr/collect/bookkeeper.h"
#include "plr/collect/inference.h"
#include "plr/collect/slot_states.h"
#include "plr/collect/slot_tasks.h"
#include "plr/collect/step_log.h"
#include "plr/collect/step_tables.h"
#include "plr/collect/stopwatch.h"
#include "plr/env/vector_env.h"

namespace plr::collect {

struct CollectorParts {
  VectorEnv& env;          // the slots of this rank
  Curriculum* curriculum;  // this and the next are null if every rollout is given its levels
  EpisodeScorer* scorer;
  RewardNormalizer& normalizer;
  Inference& inference;
  StepLog& log;
};

class Collector {
 public:
  Collector(const CollectorParts& parts, Random actions);

  // Starts the first levels.
  // REQUIRES: there is a curriculum.
  void begin();
  // Plays all steps of a rollout.  If a part throws, the exception is passed on, and the collector
  // cannot be used any more.
  void fill(StepTables& rollout);
  // The same on new episodes of these levels, one per slot; a slot whose episode ends starts its
  // level again.
  // REQUIRES: there is no curriculum; `levels` has the slots of all ranks.
  void fill(StepTables& rollout, std::span<const LevelId> levels);

  // The most recent training episodes.
  const EpisodeWindow& episodes() const { return books_.episodes(); }
  // The levels being played, by slot, of all ranks.
  std::span<const LevelId> levels() const { return books_.levels(); }

  // Seconds of the calling thread so far, by activity.
  const CollectTimes& times() const { return times_; }

  // The complete state, with the episodes of the slots of all ranks; load() uses those of its own.
  std::vector<std::byte> save(const SlotStates& all_slots) const;
  void load(std::span<const std::byte> bytes);
  // The episodes of this rank's slots.
  SlotStates slot_states() const;

 private:
  void start_own(std::span<const LevelId> levels);
  bool book_finished_steps(StepTables& rollout);

  VectorEnv& env_;
  Inference& inference_;
  StepLog& log_;
  Random actions_;
  SlotTasks tasks_;
  BatchQueue queue_;
  Bookkeeper books_;
  std::size_t num_booked_ = 0;  // steps of this rollout
  CollectTimes times_;
};

}  // namespace plr::collect

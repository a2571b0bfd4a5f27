// Fills rollouts: plays N slots and reports finished episodes to the curriculum.
//
//   Collector collector({env, &curriculum, &scorer, normalizer, inference}, stream, 256);
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
// The parts must outlive the collector.  Not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/batch_queue.h"
#include "plr/collect/bookkeeper.h"
#include "plr/collect/inference.h"
#include "plr/collect/slot_tasks.h"
#include "plr/collect/step_tables.h"
#include "plr/collect/stopwatch.h"
#include "plr/env/vector_env.h"

namespace plr::collect {

struct CollectorParts {
  VectorEnv& env;
  Curriculum* curriculum;  // this and the next are null if every rollout is given its levels
  EpisodeScorer* scorer;
  RewardNormalizer& normalizer;
  Inference& inference;
};

class Collector {
 public:
  // For rollouts of `num_steps` steps.
  Collector(const CollectorParts& parts, Random actions, std::size_t num_steps);

  // Starts the first levels.
  // REQUIRES: there is a curriculum.
  void begin();
  // Plays all steps of a rollout.  If a part throws, the exception is passed on, and the collector
  // cannot be used any more.
  void fill(StepTables& rollout);
  // The same on new episodes of these levels, one per slot; a slot whose episode ends starts its
  // level again.
  // REQUIRES: there is no curriculum.
  void fill(StepTables& rollout, std::span<const LevelId> levels);

  // The most recent training episodes.
  const EpisodeWindow& episodes() const { return books_.episodes(); }
  // The levels being played, by slot.
  std::span<const LevelId> levels() const { return books_.levels(); }

  // Seconds of the calling thread so far, by activity.
  const CollectTimes& times() const { return times_; }

  // The complete state, including the environments and the current observations.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  bool book_finished_steps(StepTables& rollout);

  VectorEnv& env_;
  Inference& inference_;
  Random actions_;
  std::size_t num_steps_;
  SlotTasks tasks_;
  BatchQueue queue_;
  Bookkeeper books_;
  std::size_t num_booked_ = 0;  // steps of this rollout
  CollectTimes times_;
};

}  // namespace plr::collect

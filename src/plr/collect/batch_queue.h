// Submits the observations of slots for inference, in batches.
//
//   BatchQueue queue(inference, log.shape(), inference.num_lanes());
//   queue.begin_rollout(actions);                    // random stream of the actions
//   queue.submit_ready(tasks.progress());            // as often as possible
//
// A batch consists of all observations that are ready when a lane is free: the fewer lanes, the
// larger the batches.  If the inference does not take any batch, a batch has all slots of a group.
//
// The random number of an action belongs to its step and slot, whatever batch and rank it is in.
// Does not allocate in steady state.  The inference must outlive the queue.  Movable.  Not
// thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/inference.h"
#include "plr/collect/slot_tasks.h"
#include "plr/collect/step_log.h"

namespace plr::collect {

class BatchQueue {
 public:
  BatchQueue(Inference& inference, const StepLogShape& shape, std::size_t num_lanes);

  // Draws the numbers of all actions, by step and slot, of all ranks.
  // REQUIRES: no batch is in flight.
  void begin_rollout(Random& actions);

  // Submits a batch if there are observations and a lane is free.  Returns true if it did.
  bool submit_ready(std::span<const SlotProgress> slots);

  // Throws std::runtime_error if the device has failed.  For a caller that has waited unusually
  // long.
  void check_device(std::span<const SlotProgress> slots);

 private:
  using Batch = std::vector<InferenceItem>;

  Batch* free_lane(std::span<const SlotProgress> slots);
  void add_ready(std::span<const SlotProgress> slots, std::size_t first, std::size_t end,
                 Batch& batch) const;
  bool is_complete(const Batch& batch, std::span<const SlotProgress> slots) const;

  Inference& inference_;
  StepLogShape shape_;
  std::vector<double> uniforms_;    // [T, N] of all ranks
  std::vector<int> num_submitted_;  // [own slots]: observations of this rollout
  std::vector<Batch> lanes_;        // the last batch of each
};

}  // namespace plr::collect

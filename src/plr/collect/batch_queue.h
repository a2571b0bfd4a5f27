// Submits the observations of slots for inference, in batches.
//
//   BatchQueue queue(inference, num_slots, num_steps, inference.num_lanes());
//   queue.begin_rollout(actions);                    // random stream of the actions
//   queue.submit_ready(tasks.progress());            // as often as possible
//
// A batch consists of all observations that are ready when a lane is free: the fewer lanes, the
// larger the batches.  If the inference does not take any batch, a batch has all slots.
//
// The random number of an action belongs to its step and slot, whatever batch it is in.  Does not
// allocate in steady state.  The inference must outlive the queue.  Movable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/inference.h"
#include "plr/collect/slot_tasks.h"

namespace plr::collect {

class BatchQueue {
 public:
  BatchQueue(Inference& inference, std::size_t num_slots, std::size_t num_steps,
             std::size_t num_lanes);

  // Draws the numbers of all actions, by step and slot.
  // REQUIRES: no batch is in flight.
  void begin_rollout(Random& actions);

  // Submits a batch if there are observations and a lane is free.  Whether it did.
  bool submit_ready(std::span<const SlotProgress> slots);

  // Throws std::runtime_error if the device has failed.  For a caller that has waited unusually
  // long.
  void check_device(std::span<const SlotProgress> slots);

 private:
  using Batch = std::vector<InferenceItem>;

  Batch* free_lane(std::span<const SlotProgress> slots);
  bool is_complete(const Batch& batch, std::span<const SlotProgress> slots) const;

  Inference& inference_;
  std::vector<double> uniforms_;    // [T, N]
  std::vector<int> num_submitted_;  // [N]: observations of this rollout
  std::vector<Batch> lanes_;        // the last batch of each
};

}  // namespace plr::collect

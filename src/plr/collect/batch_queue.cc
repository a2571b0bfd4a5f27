#include "plr/collect/batch_queue.h"

#include <algorithm>
#include <stdexcept>

namespace plr::collect {

BatchQueue::BatchQueue(Inference& inference, const StepLogShape& shape, std::size_t num_lanes)
    : inference_(inference),
      shape_(shape),
      uniforms_(shape.num_steps * shape.num_slots),
      num_submitted_(inference.results().size()),
      lanes_(num_lanes) {
  for (Batch& batch : lanes_) batch.reserve(num_submitted_.size());
}

void BatchQueue::begin_rollout(Random& actions) {
  for (double& u : uniforms_) u = actions.uniform();
  std::ranges::fill(num_submitted_, 0);
  for (Batch& batch : lanes_) batch.clear();
  inference_.refresh();
}

bool BatchQueue::submit_ready(std::span<const SlotProgress> slots) {
  Batch* batch = free_lane(slots);
  if (batch == nullptr) return false;
  batch->clear();
  if (inference_.takes_any_batch()) {
    add_ready(slots, 0, slots.size(), *batch);
  } else {
    const std::size_t size = inference_.group_size();
    for (std::size_t first = 0; first < slots.size() && batch->empty(); first += size) {
      add_ready(slots, first, first + size, *batch);
      if (batch->size() < size) batch->clear();
    }
  }
  if (batch->empty()) return false;
  for (const InferenceItem& item : *batch) ++num_submitted_[static_cast<std::size_t>(item.slot)];
  inference_.submit(static_cast<std::size_t>(batch - lanes_.data()), *batch);
  return true;
}

// Adds the observations of these slots that are ready and not submitted.
void BatchQueue::add_ready(std::span<const SlotProgress> slots, std::size_t first, std::size_t end,
                           Batch& batch) const {
  const auto first_own = static_cast<std::size_t>(shape_.slots_of(shape_.rank).begin);
  for (std::size_t slot = first; slot < end; ++slot) {
    const int step = num_submitted_[slot];
    if (slots[slot].num_observed.load(std::memory_order_acquire) == step) continue;
    const auto row = static_cast<std::size_t>(step);
    const bool is_last = row == shape_.num_steps;  // after the last step only the value is used
    const std::size_t index = row * shape_.num_slots + first_own + slot;
    batch.push_back({.slot = static_cast<std::int32_t>(slot),
                     .step = step,
                     .begins_episode = slots[slot].begins_episode,
                     .value_only = is_last,
                     .uniform = is_last ? 0 : uniforms_[index]});
  }
}

// The first lane whose batch is complete, or null.
BatchQueue::Batch* BatchQueue::free_lane(std::span<const SlotProgress> slots) {
  for (Batch& batch : lanes_) {
    if (is_complete(batch, slots)) return &batch;
  }
  return nullptr;
}

// A batch is complete when all its results are written.  A slot that has finished the step has used
// its result and may wait for the next one.
bool BatchQueue::is_complete(const Batch& batch, std::span<const SlotProgress> slots) const {
  return std::ranges::all_of(batch, [&](const InferenceItem& item) {
    const auto slot = static_cast<std::size_t>(item.slot);
    return slots[slot].num_finished.load(std::memory_order_acquire) > item.step ||
           is_written(inference_.results()[slot]);
  });
}

void BatchQueue::check_device(std::span<const SlotProgress> slots) {
  inference_.check_device();
  for (const Batch& batch : lanes_) {
    if (!is_complete(batch, slots)) {
      throw std::runtime_error("the device has finished inference without writing its results");
    }
  }
}

}  // namespace plr::collect

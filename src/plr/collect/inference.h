// Asynchronous inference for the slots of an environment: from observations to actions and values.
//
// Every slot has a place for its current observation and one for the result:
//
//   env.step(..., {inference.observations(), ...});         // the environment writes observations
//   mark_pending(inference.results()[slot]);
//   inference.submit(0, items);                              // one thread; returns at once
//   while (!is_written(inference.results()[slot])) { ... }   // any thread
//
// An observation must stay unchanged from submit() until its result is written.  Which device
// computes, and whether it stores the observations for training too, is up to the implementation
// (learn/backend.h).
//
// Not copyable.  submit() and refresh() are called by one thread; results may be polled by others.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plr/collect/inference_types.h"
#include "plr/env/spaces.h"

namespace plr::collect {

class Inference {
 public:
  Inference() = default;
  virtual ~Inference() = default;
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // The bytes of [N, H, W, C] elements, and [N], at fixed addresses.
  virtual std::span<std::uint8_t> observations() = 0;
  virtual std::span<InferenceResult> results() = 0;
  // The actions of a space that is not discrete, [N, W] numbers for W words as the policy sampled
  // them, written before the results; empty if the space is discrete.
  virtual std::span<const float> wide_actions() { return {}; }

  // Whether the result of an observation is bitwise identical in every batch.  If not, submit()
  // must name all slots of a group, in order.
  virtual bool takes_any_batch() const = 0;
  // The number of slots in a group: the first G slots, the next G, and so on.
  virtual std::size_t group_size() { return results().size(); }

  // The number of batches that can be in flight at the same time, each in a lane.
  virtual std::size_t num_lanes() const = 0;

  // Enqueues the work that changed weights require.  Call it after every change.
  virtual void refresh() = 0;

  // Enqueues inference and returns; `items` may change afterwards.
  // REQUIRES: all results of the lane's batch before are written, and each slot is in one lane at
  // most.
  virtual void submit(std::size_t lane, std::span<const InferenceItem> items) = 0;

  // Waits for the device; throws std::runtime_error if it has failed.  For callers that have waited
  // unusually long.
  virtual void check_device() = 0;
};

// Stands for a number that is not written yet: a NaN that no computation produces.
inline constexpr std::uint32_t kPendingBits = 0xffffffff;

inline void mark_pending(InferenceResult& result) {
  for (float* number : {&result.action, &result.log_prob, &result.value, &result.term}) {
    std::atomic_ref(*number).store(std::bit_cast<float>(kPendingBits), std::memory_order_relaxed);
  }
}

// The device writes the four numbers in any order.
inline bool is_written(InferenceResult& result) {
  for (float* number : {&result.action, &result.log_prob, &result.value, &result.term}) {
    const float now = std::atomic_ref(*number).load(std::memory_order_acquire);
    if (std::bit_cast<std::uint32_t>(now) == kPendingBits) return false;
  }
  return true;
}

// For implementations that compute on the host.
inline void write_result(const InferenceResult& from, InferenceResult& to) {
  std::atomic_ref(to.log_prob).store(from.log_prob, std::memory_order_release);
  std::atomic_ref(to.value).store(from.value, std::memory_order_release);
  std::atomic_ref(to.term).store(from.term, std::memory_order_release);
  std::atomic_ref(to.action).store(from.action, std::memory_order_release);
}

// The words of a slot's action, as the environment takes them.
// REQUIRES: the result of the slot is written; words has space.size() elements.
inline void take_action(Inference& inference, const ActionSpace& space, std::size_t slot,
                        std::span<Action> words) {
  if (space.is_discrete()) {
    words[0] = static_cast<Action>(inference.results()[slot].action);
    return;
  }
  const auto numbers = inference.wide_actions().subspan(slot * words.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = space.word_of(i, numbers[i]);
}

}  // namespace plr::collect

// The tasks that play the slots of an environment, and the threads that run them.
//
// play() in slot_tasks.cc is the journey of one slot through a rollout:
//
//   observation -> inference -> step -> if the episode has ended: next level -> start
//
// where the next level is that of set_level(), or the same again.
//
// Every slot has such a task, a coroutine.  Whenever the event that it waits for has happened, one
// of the environment's workers continues it.  The calling thread provides the events:
//
//   tasks.start();                                     // workers begin to run the tasks
//   while (tasks.num_finished_by_all() <= num_steps) {
//     ...                                              // submit the observations that are ready
//     for (...) tasks.set_level(slot, level);          // for slots whose episode has ended
//     tasks.advance();                                 // or help
//   }
//   tasks.stop();
//
// Each worker runs the tasks of its own slots, the slowest one first.  Idle workers spin, after
// some time run tasks of others, and later block; wake_workers() wakes them.  Steps neither
// allocate nor lock nor make a system call.  If the environment prefers ranges, a worker takes the
// actions of all its slots that have one by one call, and runs no tasks of others.
//
// Steps are recorded in a log (step_log.h), which may also have the slots of other ranks: here,
// slots are counted from the first of this rank.
//
// The environment, the inference and the log must outlive the tasks.  Not copyable.  One caller at
// a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "plr/collect/inference.h"
#include "plr/collect/slot_task.h"
#include "plr/collect/step_log.h"
#include "plr/env/vector_env.h"

namespace plr::collect {

// The progress of a slot, shared by threads, in a cache line of its own.
struct alignas(64) SlotProgress {
  std::atomic<Wait> wait = Wait::kRollout;
  std::atomic<bool> has_next_level = false;
  std::atomic<int> num_observed = 0;  // observations of this rollout that are ready
  std::atomic<int> num_finished = 0;  // steps of this rollout; one more once all is finished
  LevelId next_level = 0;             // of the next start
  bool begins_episode = true;         // the newest observation is the first of its episode
  bool has_stepped = false;           // the result's action was taken already
  Action action = 0;                  // of a discrete space, taken last
};

class SlotTasks {
 public:
  // REQUIRES: the environment has the log's own slots.
  SlotTasks(VectorEnv& env, Inference& inference, StepLog& log);
  SlotTasks(const SlotTasks&) = delete;
  SlotTasks& operator=(const SlotTasks&) = delete;

  // Starts levels in all slots and writes their observations.
  void start_levels(std::span<const LevelId> levels);

  // Whether a slot starts its level again when its episode ends, without waiting for set_level().
  void set_repeats_levels(bool repeats) { repeats_levels_ = repeats; }

  // Whether the current observation of a slot is the first of its episode.
  void set_begins_episode(std::size_t slot, bool begins) { slots_[slot].begins_episode = begins; }

  // Begins a rollout.
  void start();
  // Continues all tasks of the calling thread's own slots that can continue.  Returns false if
  // there was none.
  bool advance();
  // Whether a task runs or can continue; if not, all wait for inference.
  bool is_any_active() const;
  // Wakes blocked workers if a task is active.
  void wake_workers();
  // Ends the rollout and waits for the workers.
  void stop();
  // Throws the exception that has ended a task.
  void rethrow_failure() const;

  // Starts this level in a slot whose episode has ended.
  void set_level(std::size_t slot, LevelId level);

  bool is_only_worker() const { return env_.workers().num_workers() == 1; }
  std::span<const SlotProgress> progress() const { return slots_; }
  // The number of steps that the slots of all ranks have finished; one more than the rollout has if
  // the values after the last step are there too.  Publishes what those of this rank have finished.
  int num_finished_by_all();
  // The actions of a step, [N, W] numbers as the policy sampled them; empty if the space is
  // discrete.
  std::span<const float> wide_actions(std::size_t step) const {
    const std::size_t count = slots_.size() * wide_size_;
    return std::span(wide_actions_).subspan(step * count, count);
  }

 private:
  SlotTask play(int slot);
  StepRecord& record(int step, std::size_t slot);
  Suspend submit_observation(std::size_t slot, int step);
  std::span<const Action> action_of(std::size_t slot, int step, const InferenceResult& result);

  bool is_due(std::size_t slot, Wait event) const;
  bool claim(int slot);
  bool claim_step(int slot);
  bool advance_slot(int slot);
  bool advance_all(SlotRange slots);
  bool advance_together(SlotRange slots);
  bool step_together(SlotRange slots);
  bool advance_slowest(SlotRange slots);
  SlotRange share_of(int worker) const;
  void work(int worker) noexcept;
  void block_until_woken();
  void wake_all();
  void fail(std::exception_ptr error) noexcept;

  SlotRange all_slots() const { return {0, static_cast<int>(slots_.size())}; }

  VectorEnv& env_;
  Inference& inference_;
  StepLog& log_;
  int num_steps_;
  std::size_t first_slot_;  // of this rank, among those of the log
  bool repeats_levels_ = false;
  std::vector<SlotProgress> slots_;       // [N]
  std::size_t wide_size_;                 // W of a space that is not discrete, else 0
  std::vector<float> wide_actions_;       // [T, N, W]
  std::vector<Action> wide_words_;        // [N, W], as the environment takes them
  std::vector<Action> words_;             // [N, words of an action], of slots that step together
  std::vector<double> rewards_;           // [N], this and the next written by the environment
  std::vector<std::uint8_t> terminated_;  // [N]
  std::vector<std::uint8_t> truncated_;   // [N]
  StepBatch out_;
  std::vector<SlotTask> tasks_;  // [N]

  struct Work {
    SlotTasks* tasks;
    void operator()(int worker) const noexcept { tasks->work(worker); }
  };
  Work work_{this};

  enum class Failure : std::uint8_t { kNone, kBeingStored, kStored };
  alignas(64) std::atomic<bool> is_over_ = true;          // the rollout
  alignas(64) std::atomic<std::uint32_t> num_wakes_ = 0;  // blocked workers wait for a change
  std::atomic<int> num_blocked_ = 0;
  std::atomic<Failure> failure_ = Failure::kNone;
  std::exception_ptr error_;
};

}  // namespace plr::collect

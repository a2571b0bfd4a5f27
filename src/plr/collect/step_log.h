// The steps of all ranks in a rollout: a table of records, and a counter per rank.
//
// The slots of a run are divided among ranks: processes, each of which plays its own slots and
// knows the steps of all.  A run in one process has one rank.
//
//   StepLog log({.num_steps = 256, .num_slots = 64});
//   log.begin_rollout();
//   log.row(step)[slot] = record;                      // own slots only; any thread
//   log.publish(step + 1);                             // all own slots have finished the step
//   if (log.num_finished() > step) read(log.row(step));   // the slots of all ranks have
//
// Rank r of W has the slots from N r / W on.  The memory belongs to one process, or is shared by
// the processes of a machine (shared_memory.h); between machines, a StepLog of each machine is kept
// equal by messages (distributed/log_exchange.h).
//
// A rank may begin a rollout when all ranks have read the one before.  Not copyable.  row() may be
// used by several threads for different slots; the other functions by one thread per rank, and
// those for other ranks by another one.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "plr/collect/inference_types.h"
#include "plr/env/slot_range.h"

namespace plr::collect {

// What a step leaves for those who process it later, in a cache line of its own.
struct alignas(64) StepRecord {
  InferenceResult result;
  double reward;   // not normalized
  bool has_ended;  // the episode
  bool is_solved;  // if it has ended
};

struct StepLogShape {
  std::size_t num_steps = 0;
  std::size_t num_slots = 0;  // of all ranks
  int num_ranks = 1;
  int rank = 0;

  SlotRange slots_of(int of_rank) const {
    return part_of_slots({0, static_cast<int>(num_slots)}, of_rank, num_ranks);
  }
};

class StepLog {
 public:
  // In memory of its own.
  explicit StepLog(const StepLogShape& shape);
  // In memory that all ranks of the log share.
  // REQUIRES: `memory` has num_bytes(shape) zeros when the first rank comes, is aligned to 64 bytes
  // and outlives the log; the calling thread lives as long as the log.
  StepLog(const StepLogShape& shape, std::span<std::byte> memory);
  ~StepLog();
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  static std::size_t num_bytes(const StepLogShape& shape);

  const StepLogShape& shape() const { return shape_; }
  SlotRange own_slots() const { return shape_.slots_of(shape_.rank); }

  // Step 0..num_steps of all slots; of the last one only the results are defined.
  std::span<StepRecord> row(std::size_t step) {
    return records_.subspan(step * shape_.num_slots, shape_.num_slots);
  }

  void begin_rollout();
  // Waits until this rank has begun `number` rollouts; false if it was stopped.  For a thread that
  // publishes the steps of other ranks.
  bool wait_for_rollout(std::int64_t number, const std::stop_token& stop);
  // Publishes the number of steps that all own slots have finished: one more than the rollout has
  // if the results after the last step are there too.
  void publish(int num_finished) { publish(shape_.rank, num_finished); }
  // Likewise for the slots of another rank, whose records were copied to this log.
  void publish(int rank, int num_finished);
  // The least of what all ranks have published.
  int num_finished() const;
  // What one rank has published.
  int num_finished(int rank) const;

  // Makes check_ranks() throw RankLost with this text.  Called by any thread, once.
  void fail(const std::string& why);
  // Throws RankLost if fail() was called, or if the process of a rank that shares the memory has
  // ended.  For callers that have waited unusually long.
  void check_ranks();

 private:
  struct RankState;

  StepLogShape shape_;
  std::string failure_;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // guards num_rollouts_
  std::condition_variable_any has_begun_;
  std::int64_t num_rollouts_ = 0;
  std::int64_t first_count_ = 0;       // counters at the beginning of this rollout
  std::vector<std::byte> own_memory_;  // empty if the memory is shared
  std::span<RankState> ranks_;         // [W]
  std::span<StepRecord> records_;      // [T+1, N]
};

}  // namespace plr::collect

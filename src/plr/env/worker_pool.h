// A pool of threads that shares the work on many slots.
//
//   WorkerPool pool(4);                                        // the caller is one of the four
//   pool.run({0, 64}, [&](int slot) noexcept { step(slot); }); // returns when all 64 are done
//
// or asynchronously, in one of four lanes:
//
//   pool.submit(0, {0, 32}, step);                             // `step` must live until collect()
//   while (!pool.ready(0)) pool.run_one_task();                // optional: other work meanwhile
//   pool.collect(0);                                           // returns when all 32 are done
//
// Each slot has a preferred worker (slot % num_workers), so that its memory mostly stays in the
// cache of one core.  Idle workers steal slots of other workers, so that a slow slot delays only
// itself.  Workers spin while work is pending and for an adaptive time afterwards, then block;
// after about 10 us of spinning they yield the core to other threads.  Submitting and collecting
// take no lock and allocate no memory.
//
// The threads live as long as the pool.  Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

class WorkerPool {
 public:
  // Throws std::system_error if a thread cannot be created.
  explicit WorkerPool(int num_workers);
  // Joins the threads.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int num_workers() const { return static_cast<int>(threads_.size()) + 1; }

  // Enqueues a call of work(slot) for every slot, in any order and on any of the threads, and
  // returns.  With one worker, the calls are made here.
  // REQUIRES: the lane is empty, and `work` lives until collect(lane).
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void submit(int lane, SlotRange slots, Work& work) {
    if (threads_.empty()) {
      for (int slot = slots.begin; slot < slots.end; ++slot) work(slot);
      return;
    }
    const auto call = [](void* context, int slot) noexcept {
      (*static_cast<Work*>(context))(slot);
    };
    submit_shared(lanes_[static_cast<std::size_t>(lane)], slots,
                  {call, const_cast<std::remove_const_t<Work>*>(&work)});
  }
  // Whether collect() would return without waiting.
  bool ready(int lane) const {
    return lanes_[static_cast<std::size_t>(lane)].unfinished.load(std::memory_order_acquire) == 0;
  }
  // Works on the lane too, returns when all its slots are done, and empties the lane.
  void collect(int lane);
  // Runs the task of one unclaimed slot of any lane on the calling thread.  Does nothing if there
  // is none, or if the pool has so many workers that the caller should not be occupied.
  void run_one_task();

  // submit() and collect().
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void run(SlotRange slots, Work work) {
    if (slots.size() == 1) return work(slots.begin);
    submit(0, slots, work);
    collect(0);
  }

  static constexpr int kNumLanes = VectorEnv::kNumLanes;

 private:
  struct Job {
    void (*call)(void* context, int slot) noexcept = nullptr;
    void* context = nullptr;
  };
  // The number of slots that prefer one worker and are not claimed yet.
  struct alignas(64) Share {
    std::atomic<int> unclaimed = 0;
  };

  // The work submitted in a lane.  A thread that has claimed a slot may read `job` and `slots`:
  // they change only while `unfinished` is 0.
  struct Lane {
    Job job;
    SlotRange slots;
    std::vector<Share> shares;  // [workers]
    alignas(64) std::atomic<std::uint32_t> unfinished = 0;

    int first_slot(int worker) const;
  };

  void submit_shared(Lane& lane, SlotRange slots, Job job);
  void update_spin_time();
  static bool claim_and_run_one(int worker, Lane& lane);
  bool has_pending_work() const;
  void wait_for_submission(std::uint32_t seen) const;
  void work_until_stopped(int worker);
  void stop();

  std::array<Lane, kNumLanes> lanes_;
  alignas(64) std::atomic<std::uint32_t> num_submissions_ = 0;  // idle threads block on it
  alignas(64) std::atomic<std::int64_t> spin_ns_ = 0;           // how long idle threads spin
  std::int64_t longest_gap_ns_ = 0;  // recently, between collect() and submit()
  std::chrono::steady_clock::time_point last_collect_;
  std::vector<std::thread> threads_;
};

// The number of workers for an environment: `requested`, or one per core if that is 0, and never
// more than there are slots.
int num_workers_for(int requested, int num_slots);

}  // namespace plr

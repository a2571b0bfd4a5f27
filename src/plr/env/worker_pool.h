// A pool of threads that shares the work on many slots.
//
//   WorkerPool pool(4);                                        // the caller is one of the four
//   pool.run({0, 64}, [&](int slot) noexcept { step(slot); }); // returns when all 64 are done
//
// or with a loop on every worker, while the caller does something else:
//
//   pool.start(work);                     // calls work(worker) on the workers 1, 2 and 3
//   ...
//   pool.join();                          // returns when all have returned
//
// Each slot has a preferred worker (share_of()), so that its memory mostly stays in the cache of
// one core.  Idle workers steal slots of other workers, so that a slow slot delays only itself.
// Workers spin while work is pending and for an adaptive time afterwards, then block; after about
// 10 us of spinning they yield the core to other threads.  Neither use takes a lock or allocates
// memory.
//
// The threads live as long as the pool.  Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

#include "plr/env/slot_range.h"
#include "plr/env/waitable_number.h"

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

  // The slots of a range that prefer a worker.
  SlotRange share_of(int worker, SlotRange slots) const {
    return part_of_slots(slots, worker, num_workers());
  }

  // Calls work(slot) for every slot, in any order and on any of the threads, and returns when all
  // are done.
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void run(SlotRange slots, Work work) {
    if (threads_.empty() || slots.size() == 1) {
      for (int slot = slots.begin; slot < slots.end; ++slot) work(slot);
      return;
    }
    submit({call_of<Work>, &work, slots});
    while (claim_and_run_one(0)) {
    }
    join();
  }

  // The same for work that may throw: throws the first exception of any thread, when all are done.
  template <class Work>
  void run_throwing(SlotRange slots, const Work& work) {
    std::atomic<bool> has_failed = false;
    std::exception_ptr error;
    run(slots, [&](int slot) noexcept {
      try {
        work(slot);
      } catch (...) {
        if (!has_failed.exchange(true)) error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
  }

  // Calls work(worker) for the workers 1..num_workers-1, each on its own thread, and returns.  A
  // thread that is late may find that another one, whose call has returned, has made its call.
  // REQUIRES: `work` lives until join(), and nothing else is run before.
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void start(Work& work) {
    if (threads_.empty()) return;
    submit({call_of<Work>,
            const_cast<std::remove_const_t<Work>*>(&work),
            {1, num_workers()}});  // share_of(worker) is {worker}
  }
  // Returns when everything that was submitted is done.
  void join();

 private:
  struct Job {
    void (*call)(void* context, int slot) noexcept = nullptr;
    void* context = nullptr;
    SlotRange slots;
  };
  // The number of slots that prefer one worker and are not claimed yet.
  struct alignas(64) Share {
    std::atomic<int> unclaimed = 0;
  };

  template <class Work>
  static void call_of(void* context, int slot) noexcept {
    (*static_cast<Work*>(context))(slot);
  }

  void submit(const Job& job);
  void update_spin_time();
  bool claim_and_run_one(int worker);
  void wait_for_submission(std::uint32_t seen) const;
  void work_until_stopped(int worker);
  void stop();

  // A thread that has claimed a slot may read the job: it changes only while unfinished_ is 0.
  Job job_;
  std::vector<Share> shares_;                          // [workers]
  alignas(64) WaitableNumber unfinished_;              // join() blocks on it
  alignas(64) WaitableNumber num_submissions_;         // idle threads block on it
  alignas(64) std::atomic<std::int64_t> spin_ns_ = 0;  // how long idle threads spin
  std::int64_t longest_gap_ns_ = 0;  // recently, between join() and the next submission
  std::chrono::steady_clock::time_point last_join_;
  std::vector<std::thread> threads_;
};

// The number of workers for an environment: `requested`, or one per core if that is 0, and never
// more than there are slots.
int num_workers_for(int requested, int num_slots);

}  // namespace plr

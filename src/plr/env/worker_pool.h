// How do several threads share the work on many slots?
//
//   WorkerPool pool(4);                                        // the caller is one of the four
//   pool.run({0, 64}, [&](int slot) noexcept { step(slot); }); // returns when all 64 are done
//
// or, where the caller has something else to do meanwhile, in one of four lanes:
//
//   pool.begin(0, {0, 32}, step);                              // `step` must live until
//   pool.finish(0);                                            // all 32 are done
//
// meanwhile pool.is_done(0) tells whether that would wait, and pool.help() lends a hand.
//
// The threads live as long as the pool.  Slot s is at home with worker s % 4, which comes to it
// first, so that what belongs to a slot mostly stays near one core and in one thread's memory.
// Whoever has nothing left to do at home takes from the others, so that a slow slot holds up nobody
// but itself.  A run takes neither a lock nor memory: threads look out for work while anything is
// under way, and then as long as the next run has lately taken to come, before they sleep; where
// others want the core, they soon leave it to them.
//
// For one caller at a time.  Not copied.
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
  // Throws std::system_error if the threads cannot be had.
  explicit WorkerPool(int num_workers);
  // Ends the threads.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int num_workers() const { return static_cast<int>(threads_.size()) + 1; }

  // Lets work(slot) be called once for every slot, in any order and from any of the threads; begins
  // that and returns.  A lane must be finished before it is used again.
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void begin(int lane, SlotRange slots, Work& work) {
    if (threads_.empty()) {
      for (int slot = slots.begin; slot < slots.end; ++slot) work(slot);
      return;
    }
    const auto call = [](void* context, int slot) noexcept {
      (*static_cast<Work*>(context))(slot);
    };
    begin_shared(lanes_[static_cast<std::size_t>(lane)], slots,
                 {call, const_cast<std::remove_const_t<Work>*>(&work)});
  }
  // Helps, and returns when all that was begun in this lane is done.
  void finish(int lane);
  bool is_done(int lane) const {
    const Lane& asked = lanes_[static_cast<std::size_t>(lane)];
    return asked.unfinished.load(std::memory_order_acquire) == 0;
  }
  // Does one slot of any lane, if one is left that nobody has begun and few workers are there to.
  void help();

  // Both at once.
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, int>
  void run(SlotRange slots, Work work) {
    if (slots.size() == 1) return work(slots.begin);
    begin(0, slots, work);
    finish(0);
  }

  static constexpr int kNumLanes = VectorEnv::kNumLanes;

 private:
  struct Job {
    void (*call)(void* context, int slot) noexcept = nullptr;
    void* context = nullptr;
  };
  // The slots at home with one worker that nobody has claimed yet, as the number of those left.
  struct alignas(64) Share {
    std::atomic<int> unclaimed = 0;
  };

  // What is done together.  Whoever has claimed a slot may read `job` and `slots`: they change only
  // when `unfinished` is 0.
  struct Lane {
    Job job;
    SlotRange slots;
    std::vector<Share> shares;  // [workers]
    alignas(64) std::atomic<std::uint32_t> unfinished = 0;

    int first_slot_of(int worker) const;
  };

  void begin_shared(Lane& lane, SlotRange slots, Job job);
  void note_gap();
  static bool do_one(int worker, Lane& lane);
  bool is_busy() const;
  void wait_for_run(std::uint32_t seen) const;
  void work_until_stopped(int worker);
  void stop();

  std::array<Lane, kNumLanes> lanes_;
  alignas(64) std::atomic<std::uint32_t> num_runs_ = 0;  // threads sleep until it changes
  // How long threads look out, in nanoseconds, and from what the caller knows it.
  alignas(64) std::atomic<std::int64_t> patience_ = 0;
  std::int64_t longest_gap_ = 0;
  std::chrono::steady_clock::time_point last_end_;
  std::vector<std::thread> threads_;
};

// As many workers as an environment of so many slots can use, if `asked` is 0: one per core.
int num_workers_for(int asked, int num_slots);

}  // namespace plr

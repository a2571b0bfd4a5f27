// How do several threads share the work on many slots?
//
//   WorkerPool pool(4);                                       // the caller is one of the four
//   pool.run(64, [&](std::size_t i) noexcept { step(i); });   // returns when all 64 are done
//
// The threads live as long as the pool.  Each takes the next piece when it has finished one, so
// that a slow piece holds up nobody but itself.  A run takes neither a lock nor memory: threads
// look out for work for a moment after a run, since the next step is often near, and then sleep.
//
// For one caller at a time.  Not copied.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

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

  // Calls work(i) once for every i < count, in any order and from any of the threads.
  template <class Work>
  requires std::is_nothrow_invocable_v<Work&, std::size_t>
  void run(std::size_t count, Work work) {
    if (count <= 1 || threads_.empty()) {
      for (std::size_t i = 0; i < count; ++i) work(i);
      return;
    }
    const auto call = [](void* context, std::size_t i) noexcept {
      (*static_cast<Work*>(context))(i);
    };
    run_shared(static_cast<std::uint32_t>(count), {call, &work});
  }

 private:
  struct Job {
    void (*call)(void* context, std::size_t i) noexcept = nullptr;
    void* context = nullptr;
  };

  void run_shared(std::uint32_t count, Job job);
  void help();
  void work_until_stopped();
  void stop();

  // A piece is claimed by counting `unclaimed_` down.  Whoever has claimed one may read `job_`: it
  // changes only when `unfinished_` is 0.
  Job job_;
  alignas(64) std::atomic<std::uint32_t> unclaimed_ = 0;
  alignas(64) std::atomic<std::uint32_t> unfinished_ = 0;
  std::vector<std::thread> threads_;
};

// As many workers as an environment of so many slots can use, if `asked` is 0: one per core.
int num_workers_for(int asked, int num_slots);

}  // namespace plr

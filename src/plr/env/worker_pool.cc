#include "plr/env/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace plr {
namespace {

constexpr std::uint32_t kStop = std::numeric_limits<std::uint32_t>::max();

// The next run is awaited for twice the gaps that there have lately been, plus a little: to look
// out in vain costs others a core, to be woken costs the run some microseconds for every thread.
// Gaps beyond half a millisecond are not worth it, as when the network is updated or thinks on the
// CPU.
constexpr std::int64_t kShortestPatience = 20'000;
constexpr std::int64_t kLongestGap = 500'000;
// As long as the caller looks out for the last slots to be done.
constexpr std::int64_t kEndPatience = 100'000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns once `word` is another than `old`; looks out for that many nanoseconds before it sleeps.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old,
                     std::int64_t patience) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience);
  do {
    for (int i = 0; i < 32; ++i) {
      if (word.load(std::memory_order_acquire) != old) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::WorkerPool(int num_workers) : shares_(static_cast<std::size_t>(num_workers)) {
  threads_.reserve(shares_.size());
  try {
    for (int i = 1; i < num_workers; ++i) {
      threads_.emplace_back([this, i] { work_until_stopped(i); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  num_runs_.store(kStop, std::memory_order_release);
  num_runs_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// The first slot of the present run that is at home with a worker; perhaps beyond its end.
int WorkerPool::first_slot_of(int worker) const {
  const int num_workers = static_cast<int>(shares_.size());
  return slots_.begin + (worker - slots_.begin % num_workers + num_workers) % num_workers;
}

// Before a run: how long was it since the last?
void WorkerPool::note_gap() {
  const std::chrono::nanoseconds gap = std::chrono::steady_clock::now() - last_end_;
  if (gap.count() > kLongestGap) return;
  // Gaps of several lengths take turns; the longest counts, and is slowly forgotten.
  longest_gap_ = std::max<std::int64_t>(gap.count(), longest_gap_ - longest_gap_ / 64);
  patience_.store(kShortestPatience + 2 * longest_gap_, std::memory_order_relaxed);
}

void WorkerPool::run_shared(SlotRange slots, Job job) {
  note_gap();
  job_ = job;
  slots_ = slots;
  unfinished_.store(static_cast<std::uint32_t>(slots.size()), std::memory_order_relaxed);
  const int num_workers = static_cast<int>(shares_.size());
  for (int worker = 0; worker < num_workers; ++worker) {
    const int rest = slots.end - first_slot_of(worker);
    shares_[static_cast<std::size_t>(worker)].unclaimed.store(
        rest > 0 ? (rest + num_workers - 1) / num_workers : 0, std::memory_order_release);
  }
  // Never kStop: one run a microsecond would take an hour to come there, and then it begins anew.
  const std::uint32_t run = num_runs_.load(std::memory_order_relaxed) + 1;
  num_runs_.store(run == kStop ? 0 : run, std::memory_order_release);
  num_runs_.notify_all();
  help(0);
  while (const std::uint32_t left = unfinished_.load(std::memory_order_acquire)) {
    wait_for_change(unfinished_, left, kEndPatience);
  }
  last_end_ = std::chrono::steady_clock::now();
}

// Works until nothing is left to claim, at home first and then with the next.
void WorkerPool::help(int worker) {
  const int num_workers = static_cast<int>(shares_.size());
  for (int i = 0; i < num_workers; ++i) {
    const int host = (worker + i) % num_workers;
    std::atomic<int>& unclaimed = shares_[static_cast<std::size_t>(host)].unclaimed;
    int left = unclaimed.load(std::memory_order_relaxed);
    while (left > 0) {
      if (!unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
        continue;
      }
      job_.call(job_.context, first_slot_of(host) + (left - 1) * num_workers);
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
      left = unclaimed.load(std::memory_order_relaxed);
    }
  }
}

void WorkerPool::work_until_stopped(int worker) {
  for (std::uint32_t seen = 0;;) {
    wait_for_change(num_runs_, seen, patience_.load(std::memory_order_relaxed));
    seen = num_runs_.load(std::memory_order_acquire);
    if (seen == kStop) return;
    help(worker);
  }
}

int num_workers_for(int asked, int num_slots) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(asked == 0 ? cores : asked, num_slots);
}

}  // namespace plr

#include "plr/env/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "plr/base/usable_cpus.h"
#include "plr/env/spinner.h"

namespace plr {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kStop = std::numeric_limits<std::uint32_t>::max();

// Workers spin for twice the longest recent gap between submissions, plus kMinSpinNs: longer wastes
// a core, shorter costs a wake-up of some microseconds per thread.  Gaps above kMaxGapNs, such as a
// network update or inference on the CPU, are not spun for.
constexpr std::int64_t kMinSpinNs = 20'000;
constexpr std::int64_t kMaxGapNs = 500'000;
// How long join() spins for the last slots.
constexpr std::chrono::microseconds kJoinSpin(100);
// How long workers spin while the last slots of a submission are running; a level start takes about
// this long.
constexpr std::chrono::milliseconds kMaxPendingSpin(2);

// Waits for 32 pauses, at first about two microseconds; returns true if `word` differs from `old`.
bool poll(const WaitableNumber& word, std::uint32_t old, Spinner& spinner) {
  for (int i = 0; i < 32; ++i) {
    if (word.load(std::memory_order_acquire) != old) return true;
    spinner.pause();
  }
  return false;
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
  num_submissions_.store(kStop);
  num_submissions_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Called before a submission: adapts the spin time to the gap since the last join().
void WorkerPool::update_spin_time() {
  const std::chrono::nanoseconds gap = Clock::now() - last_join_;
  if (gap.count() > kMaxGapNs) return;
  // Gaps of several lengths alternate; the longest one counts, and decays slowly.
  longest_gap_ns_ = std::max<std::int64_t>(gap.count(), longest_gap_ns_ - longest_gap_ns_ / 64);
  spin_ns_.store(kMinSpinNs + 2 * longest_gap_ns_, std::memory_order_relaxed);
}

void WorkerPool::submit(const Job& job) {
  update_spin_time();
  job_ = job;
  unfinished_.store(static_cast<std::uint32_t>(job.slots.size()), std::memory_order_relaxed);
  for (int worker = 0; worker < num_workers(); ++worker) {
    shares_[static_cast<std::size_t>(worker)].unclaimed.store(share_of(worker, job.slots).size(),
                                                              std::memory_order_release);
  }
  // Skips kStop, which one submission per microsecond would reach after an hour.
  const std::uint32_t next = num_submissions_.load(std::memory_order_relaxed) + 1;
  num_submissions_.store(next == kStop ? 0 : next);
  num_submissions_.notify_all();
}

void WorkerPool::join() {
  const Clock::time_point deadline = Clock::now() + kJoinSpin;
  Spinner spinner;
  while (const std::uint32_t left = unfinished_.load(std::memory_order_acquire)) {
    if (poll(unfinished_, left, spinner)) continue;
    if (Clock::now() >= deadline) unfinished_.wait(left);
  }
  last_join_ = Clock::now();
}

// Claims one slot, of this worker if one is left and otherwise of the next, and runs its task.
// Returns false if there was none.
bool WorkerPool::claim_and_run_one(int worker) {
  const int num_shares = static_cast<int>(shares_.size());
  for (int i = 0; i < num_shares; ++i) {
    const int victim = (worker + i) % num_shares;
    std::atomic<int>& unclaimed = shares_[static_cast<std::size_t>(victim)].unclaimed;
    int left = unclaimed.load(std::memory_order_relaxed);
    while (left > 0) {
      // Read only after a claim: job_ may be changing before.
      if (!unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
        continue;
      }
      job_.call(job_.context, share_of(victim, job_.slots).begin + left - 1);
      if (unfinished_.decrement() == 1) unfinished_.notify_one();
      return true;
    }
  }
  return false;
}

// Returns once the number of submissions differs from `seen`.
void WorkerPool::wait_for_submission(std::uint32_t seen) const {
  const std::chrono::nanoseconds spin(spin_ns_.load(std::memory_order_relaxed));
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  Clock::time_point deadline = begin + spin;
  Spinner spinner;
  do {
    if (poll(num_submissions_, seen, spinner)) return;
    now = Clock::now();
    const bool is_pending = unfinished_.load(std::memory_order_relaxed) != 0;
    if (is_pending && now < begin + kMaxPendingSpin) deadline = now + spin;
  } while (now < deadline);
  num_submissions_.wait(seen);
}

void WorkerPool::work_until_stopped(int worker) {
  for (std::uint32_t seen = 0;;) {
    wait_for_submission(seen);
    seen = num_submissions_.load(std::memory_order_acquire);
    if (seen == kStop) return;
    while (claim_and_run_one(worker)) {
    }
  }
}

int num_workers_for(int requested, int num_slots) {
  const int cores = usable_cpus();
  return std::min(requested == 0 ? cores : requested, num_slots);
}

}  // namespace plr

#include "plr/env/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace plr {
namespace {

constexpr std::uint32_t kStop = std::numeric_limits<std::uint32_t>::max();

// Workers spin for twice the longest recent gap between submissions, plus kMinSpinNs: longer wastes
// a core, shorter costs a wake-up of some microseconds per thread.  Gaps above kMaxGapNs, such as a
// network update or inference on the CPU, are not spun for.
constexpr std::int64_t kMinSpinNs = 20'000;
constexpr std::int64_t kMaxGapNs = 500'000;
// How long collect() spins for the last slots.
constexpr std::int64_t kCollectSpinNs = 100'000;
// How long workers spin while the last slots of a submission are running; a level start takes about
// this long.
constexpr std::chrono::milliseconds kMaxPendingSpin(2);

// With this many workers run_one_task() does nothing: the caller's own task would delay the
// critical path by more than it saves.
constexpr int kManyWorkers = 12;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Polls a word for a change.  After kSpinsBeforeYield polls it yields the core at every poll, for
// machines with more threads than cores.
class Spinner {
 public:
  // Spins for about a microsecond; whether `word` differs from `old`.
  bool poll(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
    if (++num_polls_ > kSpinsBeforeYield) std::this_thread::yield();
    for (int i = 0; i < 32; ++i) {
      if (word.load(std::memory_order_acquire) != old) return true;
      pause();
    }
    return false;
  }

 private:
  static constexpr int kSpinsBeforeYield = 8;  // about 10 microseconds
  int num_polls_ = 0;
};

// Returns once `word` differs from `old`; spins for `spin_ns` before it blocks.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old,
                     std::int64_t spin_ns) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(spin_ns);
  Spinner spinner;
  do {
    if (spinner.poll(word, old)) return;
  } while (std::chrono::steady_clock::now() < deadline);
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::WorkerPool(int num_workers) {
  for (Lane& lane : lanes_) lane.shares = std::vector<Share>(static_cast<std::size_t>(num_workers));
  threads_.reserve(static_cast<std::size_t>(num_workers));
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
  num_submissions_.store(kStop, std::memory_order_seq_cst);
  num_submissions_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// The first slot that prefers a worker; may lie beyond the end.
int WorkerPool::Lane::first_slot(int worker) const {
  const int num_workers = static_cast<int>(shares.size());
  return slots.begin + (worker - slots.begin % num_workers + num_workers) % num_workers;
}

// Called before a submission: adapts the spin time to the gap since the last collect().
void WorkerPool::update_spin_time() {
  const std::chrono::nanoseconds gap = std::chrono::steady_clock::now() - last_collect_;
  if (gap.count() > kMaxGapNs) return;
  // Gaps of several lengths alternate; the longest one counts, and decays slowly.
  longest_gap_ns_ = std::max<std::int64_t>(gap.count(), longest_gap_ns_ - longest_gap_ns_ / 64);
  spin_ns_.store(kMinSpinNs + 2 * longest_gap_ns_, std::memory_order_relaxed);
}

void WorkerPool::submit_shared(Lane& lane, SlotRange slots, Job job) {
  update_spin_time();
  lane.job = job;
  lane.slots = slots;
  lane.unfinished.store(static_cast<std::uint32_t>(slots.size()), std::memory_order_relaxed);
  const int num_workers = static_cast<int>(lane.shares.size());
  for (int worker = 0; worker < num_workers; ++worker) {
    const int rest = slots.end - lane.first_slot(worker);
    lane.shares[static_cast<std::size_t>(worker)].unclaimed.store(
        rest > 0 ? (rest + num_workers - 1) / num_workers : 0, std::memory_order_release);
  }
  // Skips kStop, which one submission per microsecond would reach after an hour.
  const std::uint32_t next = num_submissions_.load(std::memory_order_relaxed) + 1;
  // notify_all() checks whether a thread is blocked.  If it could overtake this store, a thread
  // that has just read the old number would stay blocked.
  num_submissions_.store(next == kStop ? 0 : next, std::memory_order_seq_cst);
  num_submissions_.notify_all();
}

void WorkerPool::collect(int number) {
  Lane& lane = lanes_[static_cast<std::size_t>(number)];
  while (claim_and_run_one(0, lane)) {
  }
  while (const std::uint32_t left = lane.unfinished.load(std::memory_order_acquire)) {
    wait_for_change(lane.unfinished, left, kCollectSpinNs);
  }
  last_collect_ = std::chrono::steady_clock::now();
}

void WorkerPool::run_one_task() {
  if (num_workers() >= kManyWorkers) return;
  for (Lane& lane : lanes_) {
    if (claim_and_run_one(0, lane)) return;
  }
}

// Claims one slot, of this worker if one is left and otherwise of the next, and runs its task.
// Whether there was one.
bool WorkerPool::claim_and_run_one(int worker, Lane& lane) {
  const int num_workers = static_cast<int>(lane.shares.size());
  for (int i = 0; i < num_workers; ++i) {
    const int victim = (worker + i) % num_workers;
    std::atomic<int>& unclaimed = lane.shares[static_cast<std::size_t>(victim)].unclaimed;
    int left = unclaimed.load(std::memory_order_relaxed);
    while (left > 0) {
      if (!unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
        continue;
      }
      lane.job.call(lane.job.context, lane.first_slot(victim) + (left - 1) * num_workers);
      if (lane.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        lane.unfinished.notify_one();
      }
      return true;
    }
  }
  return false;
}

bool WorkerPool::has_pending_work() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) {
    return lane.unfinished.load(std::memory_order_relaxed) != 0;
  });
}

// Returns once the number of submissions differs from `seen`.
void WorkerPool::wait_for_submission(std::uint32_t seen) const {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds spin(spin_ns_.load(std::memory_order_relaxed));
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  Clock::time_point deadline = begin + spin;
  Spinner spinner;
  do {
    if (spinner.poll(num_submissions_, seen)) return;
    now = Clock::now();
    if (has_pending_work() && now < begin + kMaxPendingSpin) deadline = now + spin;
  } while (now < deadline);
  num_submissions_.wait(seen, std::memory_order_acquire);
}

void WorkerPool::work_until_stopped(int worker) {
  for (std::uint32_t seen = 0;;) {
    wait_for_submission(seen);
    seen = num_submissions_.load(std::memory_order_acquire);
    if (seen == kStop) return;
    for (bool found = true; found;) {
      found = false;
      for (Lane& lane : lanes_) found |= claim_and_run_one(worker, lane);
    }
  }
}

int num_workers_for(int requested, int num_slots) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(requested == 0 ? cores : requested, num_slots);
}

}  // namespace plr

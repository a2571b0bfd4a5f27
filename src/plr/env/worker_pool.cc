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
// As long as threads look out while the last slots of a run are under way, as a level start is.
constexpr std::chrono::milliseconds kLongestRun(2);

// With so many workers the caller does not help in passing: it would come too late to what is done
// meanwhile, for which more of them wait than its help is worth.
constexpr int kManyWorkers = 12;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Looks a while whether `word` is another than `old`.  The longer this has gone on, the readier it
// is to leave the core to a thread that has work, where there are more threads than cores.
class Lookout {
 public:
  bool sees_change(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
    if (++num_looks_ > kImpatientLooks) std::this_thread::yield();
    for (int i = 0; i < 32; ++i) {
      if (word.load(std::memory_order_acquire) != old) return true;
      pause();
    }
    return false;
  }

 private:
  static constexpr int kImpatientLooks = 8;  // some 10 microseconds
  int num_looks_ = 0;
};

// Returns once `word` is another than `old`; looks out for that many nanoseconds before it sleeps.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old,
                     std::int64_t patience) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience);
  Lookout lookout;
  do {
    if (lookout.sees_change(word, old)) return;
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
  num_runs_.store(kStop, std::memory_order_seq_cst);
  num_runs_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// The first slot that is at home with a worker; perhaps beyond the end.
int WorkerPool::Lane::first_slot_of(int worker) const {
  const int num_workers = static_cast<int>(shares.size());
  return slots.begin + (worker - slots.begin % num_workers + num_workers) % num_workers;
}

// Before a run: how long was it since the last?
void WorkerPool::note_gap() {
  const std::chrono::nanoseconds gap = std::chrono::steady_clock::now() - last_end_;
  if (gap.count() > kLongestGap) return;
  // Gaps of several lengths take turns; the longest counts, and is slowly forgotten.
  longest_gap_ = std::max<std::int64_t>(gap.count(), longest_gap_ - longest_gap_ / 64);
  patience_.store(kShortestPatience + 2 * longest_gap_, std::memory_order_relaxed);
}

void WorkerPool::begin_shared(Lane& lane, SlotRange slots, Job job) {
  note_gap();
  lane.job = job;
  lane.slots = slots;
  lane.unfinished.store(static_cast<std::uint32_t>(slots.size()), std::memory_order_relaxed);
  const int num_workers = static_cast<int>(lane.shares.size());
  for (int worker = 0; worker < num_workers; ++worker) {
    const int rest = slots.end - lane.first_slot_of(worker);
    lane.shares[static_cast<std::size_t>(worker)].unclaimed.store(
        rest > 0 ? (rest + num_workers - 1) / num_workers : 0, std::memory_order_release);
  }
  // Never kStop: one run a microsecond would take an hour to come there, and then it begins anew.
  const std::uint32_t run = num_runs_.load(std::memory_order_relaxed) + 1;
  // notify_all() looks whether anybody sleeps; a store that it could overtake would leave asleep
  // who has just looked at the old number.
  num_runs_.store(run == kStop ? 0 : run, std::memory_order_seq_cst);
  num_runs_.notify_all();
}

void WorkerPool::finish(int number) {
  Lane& lane = lanes_[static_cast<std::size_t>(number)];
  while (do_one(0, lane)) {
  }
  while (const std::uint32_t left = lane.unfinished.load(std::memory_order_acquire)) {
    wait_for_change(lane.unfinished, left, kEndPatience);
  }
  last_end_ = std::chrono::steady_clock::now();
}

void WorkerPool::help() {
  if (num_workers() >= kManyWorkers) return;
  for (Lane& lane : lanes_) {
    if (do_one(0, lane)) return;
  }
}

// Does a slot that nobody has claimed, at home if there is one and else with the next.
bool WorkerPool::do_one(int worker, Lane& lane) {
  const int num_workers = static_cast<int>(lane.shares.size());
  for (int i = 0; i < num_workers; ++i) {
    const int host = (worker + i) % num_workers;
    std::atomic<int>& unclaimed = lane.shares[static_cast<std::size_t>(host)].unclaimed;
    int left = unclaimed.load(std::memory_order_relaxed);
    while (left > 0) {
      if (!unclaimed.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
        continue;
      }
      lane.job.call(lane.job.context, lane.first_slot_of(host) + (left - 1) * num_workers);
      if (lane.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        lane.unfinished.notify_one();
      }
      return true;
    }
  }
  return false;
}

bool WorkerPool::is_busy() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) {
    return lane.unfinished.load(std::memory_order_relaxed) != 0;
  });
}

// Returns once there is another run than those that were seen.
void WorkerPool::wait_for_run(std::uint32_t seen) const {
  using Clock = std::chrono::steady_clock;
  const std::chrono::nanoseconds patience(patience_.load(std::memory_order_relaxed));
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  Clock::time_point deadline = begin + patience;
  Lookout lookout;
  do {
    if (lookout.sees_change(num_runs_, seen)) return;
    now = Clock::now();
    if (is_busy() && now < begin + kLongestRun) deadline = now + patience;
  } while (now < deadline);
  num_runs_.wait(seen, std::memory_order_acquire);
}

void WorkerPool::work_until_stopped(int worker) {
  for (std::uint32_t seen = 0;;) {
    wait_for_run(seen);
    seen = num_runs_.load(std::memory_order_acquire);
    if (seen == kStop) return;
    for (bool found = true; found;) {
      found = false;
      for (Lane& lane : lanes_) found |= do_one(worker, lane);
    }
  }
}

int num_workers_for(int asked, int num_slots) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(asked == 0 ? cores : asked, num_slots);
}

}  // namespace plr

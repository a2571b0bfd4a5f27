#include "plr/env/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace plr {
namespace {

constexpr std::uint32_t kStop = std::numeric_limits<std::uint32_t>::max();

// As long as a small network thinks about the next actions; short beside the wake-up of a thread
// and far too short to be missed by others.
constexpr auto kPatience = std::chrono::microseconds(100);

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns once `word` is another than `old`.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 32; ++i) {
      if (word.load(std::memory_order_acquire) != old) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::WorkerPool(int num_workers) {
  threads_.reserve(static_cast<std::size_t>(num_workers));
  try {
    for (int i = 1; i < num_workers; ++i) threads_.emplace_back([this] { work_until_stopped(); });
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  unclaimed_.store(kStop, std::memory_order_release);
  unclaimed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run_shared(std::uint32_t count, Job job) {
  job_ = job;
  unfinished_.store(count, std::memory_order_relaxed);
  unclaimed_.store(count, std::memory_order_release);
  unclaimed_.notify_all();
  help();
  while (const std::uint32_t left = unfinished_.load(std::memory_order_acquire)) {
    wait_for_change(unfinished_, left);
  }
}

// Works until nothing is left to claim.
void WorkerPool::help() {
  std::uint32_t left = unclaimed_.load(std::memory_order_relaxed);
  while (left != 0 && left != kStop) {
    if (!unclaimed_.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      continue;
    }
    job_.call(job_.context, left - 1);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    left = unclaimed_.load(std::memory_order_relaxed);
  }
}

void WorkerPool::work_until_stopped() {
  while (true) {
    wait_for_change(unclaimed_, 0);
    if (unclaimed_.load(std::memory_order_relaxed) == kStop) return;
    help();
  }
}

int num_workers_for(int asked, int num_slots) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(asked == 0 ? cores : asked, num_slots);
}

}  // namespace plr

#include "plr/env/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/counting_allocator.h"

namespace plr {
namespace {

std::size_t at(int slot) { return static_cast<std::size_t>(slot); }

TEST(WorkerPool, RunsEverySlotOfTheRangeOnce) {
  for (const int num_workers : {1, 2, 4, 9}) {
    WorkerPool pool(num_workers);
    EXPECT_EQ(pool.num_workers(), num_workers);
    for (const int count : {0, 1, 2, 3, 64, 1000}) {
      for (const int first : {0, 5}) {
        std::vector<int> calls(1005);
        std::vector<int> expected(1005);
        for (int slot = first; slot < first + count; ++slot) expected[at(slot)] = 1;
        pool.run({first, first + count}, [&](int slot) noexcept { ++calls[at(slot)]; });
        EXPECT_EQ(calls, expected) << num_workers << " workers";
      }
    }
  }
}

TEST(WorkerPool, RunReturnsAfterAllSlotsAreDone) {
  // Many short runs, each of which reads the results of the one before.
  WorkerPool pool(4);
  std::vector<int> values(16, 0);
  for (int run = 0; run < 20'000; ++run) {
    const std::vector<int> before = values;
    pool.run({0, 16},
             [&](int slot) noexcept { values[at(slot)] = 1 + before[at((slot + 1) % 16)]; });
  }
  EXPECT_EQ(values, std::vector<int>(16, 20'000));
}

TEST(WorkerPool, WakesBlockedWorkers) {
  WorkerPool pool(3);
  for (int run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> arrived = 0;
    // No task returns before all three have begun, which takes three threads.
    pool.run({0, 3}, [&](int) noexcept {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, 3);
  }
}

TEST(WorkerPool, ASlowSlotDelaysOnlyItself) {
  WorkerPool pool(2);
  std::atomic<int> others = 0;
  // One slot waits for all the others, so the other thread must run them.
  pool.run({0, 50}, [&](int slot) noexcept {
    if (slot == 30) {
      while (others < 49) std::this_thread::yield();
    } else {
      ++others;
    }
  });
  EXPECT_EQ(others, 49);
}

TEST(WorkerPool, RunsTwoLanesConcurrently) {
  WorkerPool pool(3);
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  // Each lane waits for the other; the caller runs no task.
  const auto wait_for_second = [&](int) noexcept {
    ++first;
    while (second == 0) std::this_thread::yield();
  };
  const auto wait_for_first = [&](int) noexcept {
    ++second;
    while (first == 0) std::this_thread::yield();
  };
  for (int run = 0; run < 200; ++run) {
    first = second = 0;
    pool.submit(0, {0, 1}, wait_for_second);
    pool.submit(1, {1, 2}, wait_for_first);
    while (first == 0 || second == 0) std::this_thread::yield();
    pool.collect(1);
    pool.collect(0);
    EXPECT_EQ(first + second, 2);
  }
}

TEST(WorkerPool, LanesRunOnlyTheirOwnSlots) {
  WorkerPool pool(4);
  std::vector<int> calls(64);
  const auto work = [&](int slot) noexcept { ++calls[at(slot)]; };
  for (int run = 0; run < 5'000; ++run) {
    pool.submit(0, {0, 32}, work);
    pool.submit(1, {32, 64}, work);
    pool.collect(0);
    pool.submit(0, {0, 32}, work);
    pool.collect(1);
    pool.collect(0);
  }
  for (int slot = 0; slot < 64; ++slot) EXPECT_EQ(calls[at(slot)], slot < 32 ? 10'000 : 5'000);
}

TEST(WorkerPool, ASlotMostlyRunsOnTheSameThread) {
  // In every run all four tasks wait for each other, so each thread can claim its own slot first.
  WorkerPool pool(4);
  std::vector<std::thread::id> last_threads(4);
  int num_moved = 0;
  for (int run = 0; run < 50; ++run) {
    std::atomic<int> arrived = 0;
    std::vector<std::thread::id> threads(4);
    pool.run({0, 4}, [&](int slot) noexcept {
      threads[at(slot)] = std::this_thread::get_id();
      ++arrived;
      while (arrived < 4) std::this_thread::yield();
    });
    if (run > 0) num_moved += threads != last_threads;
    last_threads = threads;
  }
  EXPECT_LT(num_moved, 25);
}

TEST(WorkerPool, AllocatesNoMemoryPerRun) {
  WorkerPool pool(3);
  std::vector<int> calls(64);
  const auto work = [&](int slot) noexcept { ++calls[at(slot)]; };
  pool.run({0, 64}, work);
  const std::size_t before = testing::num_allocations();
  for (int run = 0; run < 1000; ++run) pool.run({0, 64}, work);
  EXPECT_EQ(testing::num_allocations() - before, 0U);
}

TEST(WorkerPool, NumWorkersIsOnePerCoreAndAtMostOnePerSlot) {
  EXPECT_EQ(num_workers_for(0, 1), 1);
  EXPECT_EQ(num_workers_for(0, 1 << 16),
            std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  EXPECT_EQ(num_workers_for(3, 64), 3);
  EXPECT_EQ(num_workers_for(3, 2), 2);
}

}  // namespace
}  // namespace plr

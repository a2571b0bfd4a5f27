#include "plr/env/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "plr/base/usable_cpus.h"
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

TEST(WorkerPool, PassesOnAnExceptionWhenAllSlotsAreDone) {
  for (const int num_workers : {1, 3}) {
    WorkerPool pool(num_workers);
    std::atomic<int> num_done = 0;
    EXPECT_THROW(pool.run_throwing({0, 100},
                                   [&](int slot) {
                                     ++num_done;
                                     if (slot % 7 == 3) throw std::runtime_error("failed");
                                   }),
                 std::runtime_error);
    EXPECT_EQ(num_done, 100);
    pool.run_throwing({0, 100}, [&](int) { ++num_done; });
    EXPECT_EQ(num_done, 200);
  }
}

TEST(WaitableNumber, WakesThreadsThatBlock) {
  WaitableNumber number(7);
  std::atomic<int> num_woken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      number.wait(7);
      ++num_woken;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(num_woken, 0);
  number.notify_all();  // without a change, they go on waiting
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(num_woken, 0);
  number.store(8);
  number.notify_all();
  threads.clear();
  EXPECT_EQ(num_woken, 3);
  number.wait(7);  // returns at once
  EXPECT_EQ(number.decrement(), 8U);
  EXPECT_EQ(number.load(), 7U);
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

TEST(WorkerPool, StartRunsALoopOnEveryThreadWhileTheCallerIsFree) {
  for (const int num_workers : {1, 2, 4}) {
    WorkerPool pool(num_workers);
    for (int run = 0; run < 200; ++run) {
      std::atomic<int> num_running = 0;
      std::atomic<bool> is_over = false;
      std::vector<int> calls(at(num_workers));
      const auto loop = [&](int worker) noexcept {
        ++calls[at(worker)];
        ++num_running;
        while (!is_over) std::this_thread::yield();
      };
      pool.start(loop);
      // Every loop runs at the same time, and the caller can tell them to end.
      while (num_running < num_workers - 1) std::this_thread::yield();
      is_over = true;
      pool.join();
      std::vector<int> expected(at(num_workers), 1);
      expected[0] = 0;
      EXPECT_EQ(calls, expected);
    }
  }
}

TEST(WorkerPool, SharesCoverTheRangeInOrder) {
  const WorkerPool pool(3);
  int next = 5;
  for (int worker = 0; worker < 3; ++worker) {
    const SlotRange share = pool.share_of(worker, {5, 15});
    EXPECT_EQ(share.begin, next);
    EXPECT_TRUE(share.size() == 3 || share.size() == 4);
    next = share.end;
  }
  EXPECT_EQ(next, 15);
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
  EXPECT_EQ(num_workers_for(0, 1 << 16), usable_cpus());
  EXPECT_EQ(num_workers_for(3, 64), 3);
  EXPECT_EQ(num_workers_for(3, 2), 2);
}

}  // namespace
}  // namespace plr

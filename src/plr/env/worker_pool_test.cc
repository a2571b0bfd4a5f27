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

TEST(WorkerPool, DoesEveryPieceOnceWhateverTheirNumber) {
  for (const int num_workers : {1, 2, 4, 9}) {
    WorkerPool pool(num_workers);
    EXPECT_EQ(pool.num_workers(), num_workers);
    for (const std::size_t count : {0, 1, 2, 3, 64, 1000}) {
      std::vector<int> calls(count);
      pool.run(count, [&](std::size_t i) noexcept { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << num_workers << " workers";
    }
  }
}

TEST(WorkerPool, IsThroughWithARunWhenItReturns) {
  // Many short runs in a row, each of which reads what the one before has written.
  WorkerPool pool(4);
  std::vector<int> values(16, 0);
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::vector<int> before = values;
    pool.run(values.size(),
             [&](std::size_t i) noexcept { values[i] = 1 + before[(i + 1) % before.size()]; });
  }
  EXPECT_EQ(values, std::vector<int>(16, 20'000));
}

TEST(WorkerPool, WakesWorkersThatHaveFallenAsleep) {
  WorkerPool pool(3);
  for (int turn = 0; turn < 3; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> arrived = 0;
    // Nobody goes on before all three have come, which takes three threads.
    pool.run(3, [&](std::size_t) noexcept {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, 3);
  }
}

TEST(WorkerPool, ASlowPieceHoldsUpNobodyElse) {
  WorkerPool pool(2);
  std::atomic<int> others = 0;
  // One piece waits for all the others, so that they must all be done beside it.
  pool.run(50, [&](std::size_t i) noexcept {
    if (i == 30) {
      while (others < 49) std::this_thread::yield();
    } else {
      ++others;
    }
  });
  EXPECT_EQ(others, 49);
}

TEST(WorkerPool, TakesNoMemoryPerRun) {
  WorkerPool pool(3);
  std::vector<int> calls(64);
  const auto work = [&](std::size_t i) noexcept { ++calls[i]; };
  pool.run(calls.size(), work);
  const std::size_t before = testing::num_allocations();
  for (int turn = 0; turn < 1000; ++turn) pool.run(calls.size(), work);
  EXPECT_EQ(testing::num_allocations() - before, 0U);
}

TEST(WorkerPool, HasOneWorkerPerCoreButNoMoreThanSlots) {
  EXPECT_EQ(num_workers_for(0, 1), 1);
  EXPECT_EQ(num_workers_for(0, 1 << 16),
            std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  EXPECT_EQ(num_workers_for(3, 64), 3);
  EXPECT_EQ(num_workers_for(3, 2), 2);
}

}  // namespace
}  // namespace plr

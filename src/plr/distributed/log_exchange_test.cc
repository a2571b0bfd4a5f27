// Step logs that messages keep equal, and those in shared memory, with ranks that are threads.
#include "plr/distributed/log_exchange.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "plr/collect/rank_lost.h"
#include "plr/distributed/rank_log.h"
#include "plr/distributed/ranks_testing.h"

namespace plr::distributed {
namespace {

constexpr std::size_t kNumSteps = 50;
constexpr std::size_t kNumSlots = 8;

double reward_of(int rollout, std::size_t step, std::size_t slot) {
  return 10'000 * rollout + 10 * static_cast<double>(step) + static_cast<double>(slot);
}

// Plays rollouts in which rank r pauses r times as long as rank 1, and checks what it reads.
void play(World& world, bool use_messages) {
  RankLog rank_log(world, kNumSteps, kNumSlots, use_messages);
  EXPECT_NE(rank_log.shares_memory(), use_messages);
  collect::StepLog& log = rank_log.log();
  const SlotRange own = log.own_slots();
  for (int rollout = 0; rollout < 3; ++rollout) {
    log.begin_rollout();
    std::size_t num_read = 0;
    const auto read = [&] {
      for (; static_cast<int>(num_read) < log.num_finished(); ++num_read) {
        for (std::size_t slot = 0; slot < kNumSlots; ++slot) {
          ASSERT_EQ(log.row(num_read)[slot].reward, reward_of(rollout, num_read, slot));
        }
      }
    };
    for (std::size_t step = 0; step <= kNumSteps; ++step) {
      if (step % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(world.rank()));
      for (int slot = own.begin; slot < own.end; ++slot) {
        const auto i = static_cast<std::size_t>(slot);
        log.row(step)[i].reward = reward_of(rollout, step, i);
      }
      log.publish(static_cast<int>(step) + 1);
      read();
    }
    while (num_read <= kNumSteps) {
      read();
      std::this_thread::yield();
    }
    world.barrier();
  }
}

TEST(RankLog, RanksReadTheStepsOfAllThroughSharedMemory) {
  on_ranks(4, [](const auto& world) { play(*world, false); });
}

TEST(RankLog, RanksReadTheStepsOfAllThroughMessages) {
  on_ranks(4, [](const auto& world) { play(*world, true); });
}

TEST(RankLog, OneRankHasNoThreadAndNoSharedMemory) {
  const auto world = World::alone();
  RankLog log(*world, kNumSteps, kNumSlots);
  EXPECT_FALSE(log.shares_memory());
  EXPECT_EQ(log.log().own_slots().size(), static_cast<int>(kNumSlots));
}

TEST(LogExchange, ReportsARankThatEndsDuringARollout) {
  auto worlds = World::of_threads(2);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    RankLog log(*worlds[0], kNumSteps, kNumSlots, true);
    log.log().begin_rollout();
    const auto wait = [&] {
      for (;;) {
        log.log().check_ranks();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    EXPECT_THROW(wait(), collect::RankLost);
  });
  threads.emplace_back([&] { const RankLog log(*worlds[1], kNumSteps, kNumSlots, true); });
}

}  // namespace
}  // namespace plr::distributed

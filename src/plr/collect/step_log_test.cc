#include "plr/collect/step_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "plr/collect/rank_lost.h"
#include "plr/collect/shared_memory.h"

namespace plr::collect {
namespace {

TEST(StepLog, OneRankReadsWhatItPublishes) {
  StepLog log({.num_steps = 3, .num_slots = 2});
  log.begin_rollout();
  EXPECT_EQ(log.num_finished(), 0);
  log.row(0)[1].reward = 7;
  log.publish(1);
  EXPECT_EQ(log.num_finished(), 1);
  EXPECT_EQ(log.row(0)[1].reward, 7);
  log.begin_rollout();
  EXPECT_EQ(log.num_finished(), 0);
}

TEST(StepLog, RanksOwnConsecutiveSlots) {
  StepLogShape shape = {.num_steps = 3, .num_slots = 8, .num_ranks = 4, .rank = 2};
  StepLog log(shape);
  EXPECT_EQ(log.own_slots().begin, 4);
  EXPECT_EQ(log.own_slots().end, 6);
}

TEST(StepLog, ARolloutIsFinishedWhenTheSlowestRankHasFinishedIt) {
  StepLogShape shape = {.num_steps = 3, .num_slots = 2, .num_ranks = 2};
  const SharedMemory memory = SharedMemory::create(StepLog::num_bytes(shape));
  StepLog first(shape, memory.bytes());
  shape.rank = 1;
  StepLog second(shape, memory.bytes());
  first.begin_rollout();
  first.publish(3);
  EXPECT_EQ(first.num_finished(), 0) << "the other rank has not begun";
  second.begin_rollout();
  EXPECT_EQ(second.num_finished(0), 3);
  second.row(1)[1].reward = 5;
  second.publish(2);
  EXPECT_EQ(first.num_finished(), 2);
  EXPECT_EQ(first.row(1)[1].reward, 5);
}

TEST(StepLog, NoticesAProcessThatWasKilled) {
  StepLogShape shape = {.num_steps = 3, .num_slots = 2, .num_ranks = 2};
  const SharedMemory memory = SharedMemory::create(StepLog::num_bytes(shape));
  StepLog log(shape, memory.bytes());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    shape.rank = 1;
    StepLog theirs(shape, memory.bytes());
    [[maybe_unused]] const auto written = write(ready[1], "x", 1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NO_THROW(log.check_ranks());
  ASSERT_EQ(kill(child, SIGKILL), 0);
  siginfo_t info = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT),
            0);  // still a zombie
  EXPECT_THROW(log.check_ranks(), RankLost);
  waitpid(child, nullptr, 0);
}

TEST(StepLog, ThrowsTheFailureThatAnotherThreadReports) {
  StepLog log({.num_steps = 3, .num_slots = 2});
  EXPECT_NO_THROW(log.check_ranks());
  std::thread([&] { log.fail("rank 3 has ended"); }).join();
  EXPECT_THROW(log.check_ranks(), RankLost);
}

}  // namespace
}  // namespace plr::collect

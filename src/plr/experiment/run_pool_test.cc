#include "plr/experiment/run_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "plr/base/files.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

class RunPoolTest : public testing::Test {
 protected:
  // A job that runs a shell script.
  PoolJob job(const std::string& script) {
    return {{"/bin/sh", "-c", script}, output(num_jobs_++)};
  }
  std::filesystem::path output(int i) const {
    return folder_.path() / ("output-" + std::to_string(i));
  }
  // Polls until all jobs have ended; calls `meanwhile` after each poll.
  template <class Meanwhile>
  static std::vector<EndedJob> finish(RunPool& pool, Meanwhile meanwhile) {
    std::vector<EndedJob> all;
    while (!pool.is_done()) {
      for (const EndedJob& ended : pool.poll()) all.push_back(ended);
      meanwhile();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::ranges::sort(all, {}, &EndedJob::job);
    return all;
  }
  static std::vector<EndedJob> finish(RunPool& pool) {
    return finish(pool, [] {});
  }

  TemporaryDirectory folder_;
  int num_jobs_ = 0;
};

TEST_F(RunPoolTest, ReportsHowEachJobEnded) {
  RunPool pool({job("exit 0"), job("exit 2"), job("kill -9 $$"), job("exit 143")},
               {.max_running = 2});
  const std::vector<EndedJob> ended = finish(pool);
  ASSERT_EQ(ended.size(), 4U);
  EXPECT_TRUE(ended[0].succeeded);
  EXPECT_FALSE(ended[1].succeeded);
  EXPECT_EQ(ended[1].status, "exit code 2");
  EXPECT_FALSE(ended[2].succeeded);
  EXPECT_EQ(ended[2].status, "signal 9");
  EXPECT_FALSE(ended[2].stopped);
  EXPECT_FALSE(ended[3].succeeded);
  EXPECT_TRUE(ended[3].stopped);  // 128 + SIGTERM: it stopped on request
}

TEST_F(RunPoolTest, AppendsWhatJobsPrintToTheirFiles) {
  write_text(output(0), "before\n");
  RunPool pool({job("echo out; echo error >&2")}, {});
  finish(pool);
  EXPECT_EQ(read_text(output(0)), "before\nout\nerror\n");
}

TEST_F(RunPoolTest, NeverRunsMoreThanTheLimit) {
  RunPool pool({job("sleep 0.05"), job("sleep 0.05"), job("sleep 0.05"), job("sleep 0.05")},
               {.max_running = 2});
  std::size_t most = 0;
  finish(pool, [&] { most = std::max(most, pool.running().size()); });
  EXPECT_EQ(most, 2U);
}

TEST_F(RunPoolTest, AssignsGpusInRotation) {
  RunPool pool({job("printf %s $CUDA_VISIBLE_DEVICES; sleep 0.2"),
                job("printf %s $CUDA_VISIBLE_DEVICES; sleep 0.2"),
                job("printf %s $CUDA_VISIBLE_DEVICES; sleep 0.2")},
               {.max_running = 3, .gpus = {"4", "7"}});
  finish(pool);
  EXPECT_EQ(read_text(output(0)), "4");
  EXPECT_EQ(read_text(output(1)), "7");
  EXPECT_EQ(read_text(output(2)), "4");
}

TEST_F(RunPoolTest, StopEndsWhatRunsAndStartsNoMore) {
  RunPool pool({job("exec sleep 60"), job("exec sleep 60")}, {.max_running = 1});
  pool.poll();
  EXPECT_EQ(pool.running(), std::vector<std::size_t>{0});
  pool.stop();
  const std::vector<EndedJob> ended = finish(pool);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].stopped);
  EXPECT_EQ(ended[0].status, "signal 15");
}

TEST_F(RunPoolTest, StopReachesAProcessThatHasJustStarted) {
  // Between fork() and execve() a child has the handlers of this process.
  const auto previous = std::signal(SIGTERM, [](int) {});
  for (int i = 0; i < 200; ++i) {
    RunPool pool({job("exec sleep 5")}, {});
    pool.poll();
    pool.stop();
    const std::vector<EndedJob> ended = finish(pool);
    ASSERT_EQ(ended.size(), 1U);
    ASSERT_EQ(ended[0].status, "signal 15");
  }
  std::signal(SIGTERM, previous);
}

TEST_F(RunPoolTest, ReportsAProgramThatCannotBeStarted) {
  RunPool pool({{{"/nonexistent/program"}, output(0)}}, {});
  const std::vector<EndedJob> ended = finish(pool);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status, "exit code 127");
}

TEST_F(RunPoolTest, ThrowsIfTheOutputCannotBeWritten) {
  RunPool pool({{{"/bin/true"}, folder_.path() / "missing" / "output"}}, {});
  EXPECT_THROW(pool.poll(), std::runtime_error);
}

}  // namespace
}  // namespace plr::experiment

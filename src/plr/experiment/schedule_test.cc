#include "plr/experiment/schedule.h"

#include <gtest/gtest.h>

namespace plr::experiment {
namespace {

Plan plan(int num_runs, const std::string& env, const std::string& device) {
  PlannedRun run;
  run.config = train::preset("small");
  run.config.task.env = env;
  run.config.compute.device = device;
  return {.name = "plan",
          .summary = "",
          .runs = std::vector<PlannedRun>(static_cast<std::size_t>(num_runs), run)};
}

constexpr const char* kMiniGrid = "minigrid/MultiRoom-N4-Random";
constexpr const char* kProcgen = "procgen/bigfish";
constexpr Machine kMachine = {.num_cores = 16, .num_gpus = 1, .can_share_gpus = true};

TEST(Schedule, RunsOnePerCoreOnTheCpu) {
  const Schedule schedule = make_schedule(plan(100, kMiniGrid, "cpu"), kMachine, {}, {});
  EXPECT_FALSE(schedule.on_gpu);
  EXPECT_EQ(schedule.packing.max_running, 16);
  EXPECT_EQ(schedule.num_threads, 1);
}

TEST(Schedule, SharesCoresAmongFewRuns) {
  const Schedule schedule = make_schedule(plan(4, kMiniGrid, "cpu"), kMachine, {}, {});
  EXPECT_EQ(schedule.packing.max_running, 4);
  EXPECT_EQ(schedule.num_threads, 4);
}

TEST(Schedule, SharesAGpuByTheFamilyOfEnvironments) {
  EXPECT_EQ(make_schedule(plan(100, kMiniGrid, "cuda"), kMachine, {}, {}).packing.max_running, 8);
  EXPECT_EQ(make_schedule(plan(100, kProcgen, "cuda"), kMachine, {}, {}).packing.max_running, 8);
  const Machine few_cores = {.num_cores = 6, .num_gpus = 1, .can_share_gpus = true};
  EXPECT_EQ(make_schedule(plan(100, kMiniGrid, "cuda"), few_cores, {}, {}).packing.max_running, 3);
}

TEST(Schedule, GivesRunsThatShareAGpuMoreWorkersThanCores) {
  const auto workers = [](int num_running, std::optional<int> num_threads) {
    return make_schedule(plan(100, kProcgen, "cuda"), kMachine, num_running, num_threads)
        .packing.num_workers;
  };
  EXPECT_EQ(workers(1, {}), 16);
  EXPECT_EQ(workers(4, {}), 8);
  EXPECT_EQ(workers(15, {}), 4);
  EXPECT_EQ(workers(15, 2), 2);
}

TEST(Schedule, RunsOnePerGpuWithoutSharing) {
  const Machine machine = {.num_cores = 16, .num_gpus = 4, .can_share_gpus = false};
  const Schedule schedule = make_schedule(plan(100, kMiniGrid, "cuda"), machine, {}, {});
  EXPECT_TRUE(schedule.on_gpu);
  EXPECT_EQ(schedule.packing.max_running, 4);
  EXPECT_EQ(schedule.num_threads, 4);
}

TEST(Schedule, TakesGivenNumbers) {
  const Schedule schedule = make_schedule(plan(100, kMiniGrid, "cpu"), kMachine, 3, 2);
  EXPECT_EQ(schedule.packing.max_running, 3);
  EXPECT_EQ(schedule.num_threads, 2);
}

}  // namespace
}  // namespace plr::experiment

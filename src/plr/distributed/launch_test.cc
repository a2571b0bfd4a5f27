#include "plr/distributed/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/support/error_message.h"

namespace plr::distributed {
namespace {

using Variables = std::map<std::string, std::string>;

// Sets these variables alone.
void set_variables(const Variables& variables) {
  for (const char* name :
       {"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
        "TORCHELASTIC_USE_AGENT_STORE", "TORCHELASTIC_RESTART_COUNT", "SLURM_STEP_NUM_TASKS",
        "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_RESTART_COUNT"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

Launch launch_with(const Variables& variables) {
  set_variables(variables);
  return launch_from_environment();
}

int rank_with(const Variables& variables) {
  set_variables(variables);
  return rank_from_environment();
}

const Variables kTorchrun = {{"WORLD_SIZE", "4"},
                             {"RANK", "3"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "2"},
                             {"MASTER_ADDR", "127.0.0.1"},
                             {"MASTER_PORT", "29500"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}};

TEST(Launch, WithoutALauncherThereIsOneRank) {
  const Launch launch = launch_with({});
  EXPECT_EQ(launch.size, 1);
  EXPECT_EQ(launch.rank, 0);
}

TEST(Launch, ReadsTheVariablesOfTorchrun) {
  const Launch launch = launch_with(kTorchrun);
  EXPECT_EQ(launch.size, 4);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.address, "127.0.0.1");
  EXPECT_EQ(launch.port, 29500);
  EXPECT_TRUE(launch.has_agent);
  EXPECT_EQ(launch.attempt, 2);
}

TEST(Launch, ReadsTheVariablesOfAJobStepOfSlurm) {
  const Launch launch = launch_with({{"SLURM_STEP_NUM_TASKS", "2"},
                                     {"SLURM_PROCID", "1"},
                                     {"SLURM_LOCALID", "1"},
                                     {"SLURM_RESTART_COUNT", "1"},
                                     {"MASTER_ADDR", "node1"},
                                     {"MASTER_PORT", "20001"}});
  EXPECT_EQ(launch.size, 2);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_FALSE(launch.has_agent);
  EXPECT_EQ(launch.attempt, 1);
}

TEST(Launch, ABatchScriptOfSlurmIsOneRank) {
  EXPECT_EQ(launch_with({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}).size, 1);
}

std::string refusal_with(const std::string& name, const std::string& value) {
  Variables variables = kTorchrun;
  if (value.empty()) {
    variables.erase(name);
  } else {
    variables[name] = value;
  }
  return invalid_argument_of([&] { launch_with(variables); });
}

TEST(Launch, NamesTheVariableThatIsWrongOrMissing) {
  EXPECT_EQ(refusal_with("WORLD_SIZE", "3"), "WORLD_SIZE must be a power of two, not 3");
  EXPECT_EQ(refusal_with("RANK", "4"), "RANK must be from 0 to 3, not 4");
  EXPECT_EQ(refusal_with("RANK", "one"), "RANK must be from 0 to 3, not one");
  EXPECT_EQ(refusal_with("MASTER_PORT", "0"), "MASTER_PORT must be from 1 to 65535, not 0");
  EXPECT_TRUE(refusal_with("MASTER_ADDR", "").starts_with("MASTER_ADDR is not set"));
  EXPECT_TRUE(refusal_with("RANK", "").starts_with("RANK is not set"));
}

TEST(Launch, TheRankIsKnownAlsoIfAnotherVariableIsWrong) {
  EXPECT_EQ(rank_with({}), 0);
  EXPECT_EQ(rank_with(kTorchrun), 3);
  EXPECT_EQ(rank_with({{"WORLD_SIZE", "3"}, {"RANK", "2"}}), 2);  // no power of two
  EXPECT_EQ(rank_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}}), 1);  // no address
}

TEST(Launch, TheRankIsZeroIfItIsWrongOrThereIsOneProcess) {
  EXPECT_EQ(rank_with({{"WORLD_SIZE", "2"}, {"RANK", "second"}}), 0);
  EXPECT_EQ(rank_with({{"WORLD_SIZE", "2"}}), 0);
  EXPECT_EQ(rank_with({{"WORLD_SIZE", "1"}, {"RANK", "3"}}), 0);
  EXPECT_EQ(rank_with({{"SLURM_PROCID", "3"}}), 0);  // a batch script
}

}  // namespace
}  // namespace plr::distributed

#include "plr/experiment/slurm_script.h"

#include <gtest/gtest.h>

namespace plr::experiment {
namespace {

SlurmJob example() {
  return {.name = "plr-quick",
          .num_tasks = 6,
          .folder = "/shared/my runs/quick",
          .command = {"/opt/plr", "experiment", "/shared/it's.toml"},
          .sbatch_options = {"--comment=two words"}};
}

TEST(SlurmScript, IsAnArrayWithATaskPerRun) {
  const std::string script = slurm_script(example());
  EXPECT_TRUE(script.starts_with("#!/bin/bash\n"));
  EXPECT_NE(script.find("#SBATCH --job-name=plr-quick\n"), std::string::npos);
  EXPECT_NE(script.find("#SBATCH --array=0-5\n"), std::string::npos);
  EXPECT_NE(script.find("--task \"$SLURM_ARRAY_TASK_ID\"\n"), std::string::npos);
}

TEST(SlurmScript, LimitsTheTasksThatRunAtATime) {
  SlurmJob job = example();
  job.max_running = 2;
  EXPECT_NE(slurm_script(job).find("#SBATCH --array=0-5%2\n"), std::string::npos);
}

TEST(SlurmScript, SeveralRanksOfARunMeetOnTheFirstNode) {
  EXPECT_EQ(slurm_script(example()).find("MASTER_ADDR"), std::string::npos);
  SlurmJob job = example();
  job.ranks_per_run = 4;
  const std::string script = slurm_script(job);
  EXPECT_NE(script.find("#SBATCH --ntasks=4\n"), std::string::npos);
  EXPECT_NE(script.find("export MASTER_ADDR MASTER_PORT\n"), std::string::npos);
}

TEST(SlurmScript, QuotesWordsForTheShellAndForSbatch) {
  const std::string script = slurm_script(example());
  EXPECT_NE(script.find("#SBATCH --output='/shared/my runs/quick/output/task-%a.txt'\n"),
            std::string::npos);
  EXPECT_NE(script.find("#SBATCH '--comment=two words'\n"), std::string::npos);
  EXPECT_NE(script.find("\nexec /opt/plr experiment '/shared/it'\\''s.toml' --threads "),
            std::string::npos);
}

}  // namespace
}  // namespace plr::experiment

// For tests: a plan of two short runs, and files that make one of them look started or finished.
#pragma once

#include <filesystem>
#include <string>

#include "plr/base/files.h"
#include "plr/experiment/plan.h"
#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"

namespace plr::experiment {

// Two runs, empty-5x5-s1 and empty-5x5-s2, of four updates of 64 steps each.
inline Plan small_plan(const std::filesystem::path& folder) {
  write_text(folder / "small.toml",
             "summary = \"two runs\"\n"
             "env = \"minigrid/MiniGrid-Empty-5x5-v0\"\n"
             "seeds = \"1-2\"\n"
             "[settings]\n"
             "device = \"cpu\"\n"
             "num_slots = 4\n"
             "rollout_length = 16\n"
             "num_minibatches = 2\n"
             "steps = 256\n");
  return read_plan(folder / "small.toml", {});
}

// Writes the settings, a checkpoint and the last records of a run after `steps` steps.
inline void write_started_run(const std::filesystem::path& folder, const PlannedRun& run,
                              std::int64_t steps, bool is_final) {
  make_directories(folder);
  write_text(folder / run::layout::kConfig, train::to_toml(run.config));
  run::Checkpoint checkpoint;
  checkpoint.update = steps / 64;
  checkpoint.facts = run::CheckpointFacts{.steps = steps, .is_final = is_final};
  run::save_checkpoint(folder / run::layout::kCheckpoints, checkpoint);
  run::LogRecord log;
  log.steps = steps;
  write_text(folder / run::layout::kLog, run::record_to_json(log).dump() + "\n");
  run::EvalRecord evaluation;
  evaluation.steps = steps;
  evaluation.test_return = 0.5;
  evaluation.is_final = is_final;
  write_text(folder / run::layout::kEvaluations, run::record_to_json(evaluation).dump() + "\n");
}

}  // namespace plr::experiment

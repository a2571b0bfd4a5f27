// Writes small run folders for tests of reports.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/run/json_lines.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"

namespace plr::report {

struct TestRun {
  std::string env = "minigrid/MiniGrid-DoorKey-6x6-v0";
  std::string curriculum = "plr";
  int seed = 1;
  std::vector<double> test;                          // at 100, 200, ... steps
  double gap = 0;                                    // training return minus test return
  bool is_finished = true;                           // the last evaluation is the final one
  std::map<std::string, std::string> settings = {};  // further ones
  std::optional<std::int64_t> behavior_version = {};
  std::vector<std::vector<run::TestLevel>> test_levels = {};  // per evaluation
  std::vector<std::int64_t> gradient_updates = {};            // per update
  std::vector<run::CvarRow> cvar = {};
};

inline void write_run(const std::filesystem::path& folder, const TestRun& run) {
  make_directories(folder);
  std::ofstream config(folder / run::layout::kConfig);
  config << "env = \"" << run.env << "\"\ncurriculum = \"" << run.curriculum
         << "\"\nseed = " << run.seed << "\nsteps = " << 100 * run.test.size() << "\n";
  for (const auto& [name, value] : run.settings) config << name << " = \"" << value << "\"\n";
  run::JsonLines log(folder / run::layout::kLog);
  run::JsonLines evaluations(folder / run::layout::kEvaluations);
  run::JsonLines levels(folder / run::layout::kLevels);
  for (std::size_t i = 0; i < run.test.size(); ++i) {
    const auto update = static_cast<std::int64_t>(i + 1);
    run::LogRecord logged{.update = update, .steps = 100 * update};
    logged.steps_per_second = 1000;
    logged.episode_return = 0.5;
    if (!run.gradient_updates.empty()) logged.gradient_updates = run.gradient_updates[i];
    log.append(record_to_json(logged));
    run::EvalRecord evaluation{.update = update, .steps = 100 * update};
    evaluation.behavior_version = run.behavior_version;
    evaluation.test_return = run.test[i];
    evaluation.test_success = 0.5;
    evaluation.train_return = run.test[i] + run.gap;
    if (run.is_finished && i + 1 == run.test.size()) {
      evaluation.is_final = true;
      evaluation.test_returns = {0, run.test[i]};
    }
    if (!run.test_levels.empty()) evaluation.test_levels = run.test_levels[i];
    evaluations.append(record_to_json(evaluation));
    run::LevelsRecord summary{.update = update, .steps = 100 * update, .levels = 2};
    summary.effective_levels = 7;
    summary.mean_score = 0.1;
    summary.by_difficulty = {0.25, 0.75};
    levels.append(record_to_json(summary));
  }
  write_text(folder / run::layout::kLevelTable,
             run::level_table_to_csv({{7, 0.9, 0.5, 1, 0}, {3, 0.1, 0.25, 4, std::nullopt}}));
  if (!run.cvar.empty()) write_text(folder / run::layout::kCvar, run::cvar_to_csv(run.cvar));
}

}  // namespace plr::report

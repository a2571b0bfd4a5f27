// What do tests of reports read?  Folders like those of real runs.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plr/base/files.h"

namespace plr::report {

struct TestRun {
  std::string env = "minigrid/MiniGrid-DoorKey-6x6-v0";
  std::string curriculum = "plr";
  int seed = 1;
  std::vector<double> test;                          // at 100, 200, ... steps
  double gap = 0;                                    // training return minus test return
  bool is_finished = true;                           // the last evaluation is the final one
  std::map<std::string, std::string> settings = {};  // further ones
};

inline void write_run(const std::filesystem::path& folder, const TestRun& run) {
  make_directories(folder);
  std::ofstream config(folder / "config.toml");
  config << "env = \"" << run.env << "\"\ncurriculum = \"" << run.curriculum
         << "\"\nseed = " << run.seed << "\nsteps = " << 100 * run.test.size() << "\n";
  for (const auto& [name, value] : run.settings) config << name << " = \"" << value << "\"\n";
  std::ofstream log(folder / "log.jsonl");
  std::ofstream evaluations(folder / "eval.jsonl");
  std::ofstream levels(folder / "levels.jsonl");
  for (std::size_t i = 0; i < run.test.size(); ++i) {
    const double steps = 100 * static_cast<double>(i + 1);
    log << nlohmann::json{{"steps", steps}, {"return", 0.5}, {"steps_per_second", 1000}} << "\n";
    nlohmann::json record = {{"steps", steps},
                             {"test_return", run.test[i]},
                             {"train_return", run.test[i] + run.gap},
                             {"test_success", 0.5}};
    if (run.is_finished && i + 1 == run.test.size()) record["test_returns"] = {0, run.test[i]};
    evaluations << record << "\n";
    levels << nlohmann::json{{"update", i + 1},
                             {"effective_levels", 7},
                             {"mean_score", 0.1},
                             {"by_difficulty", {0.25, 0.75}}}
           << "\n";
  }
  std::ofstream(folder / "levels.csv") << "level,probability,score,staleness,difficulty\n"
                                          "7,0.9,0.5,1,0\n3,0.1,0.25,4,\n";
}

}  // namespace plr::report

// What does a run's folder tell?
//
// Everything that a report is made of, read from the files of train/run_files.h.  A run that still
// goes on can be read too: a last line that is not yet whole is passed over.
//
//   const FoundRuns found = find_runs({"runs"});
//   for (const std::string& problem : found.problems) ...   // what was left out, and why
//
// Values.  Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plr/core/level.h"

namespace plr::report {

// A record of log.jsonl.
struct LoggedUpdate {
  double steps = 0;
  double episode_return = 0;    // of the last 100 training episodes
  double steps_per_second = 0;  // of the process, since its start
};

// A record of eval.jsonl.
struct LoggedEvaluation {
  double steps = 0;
  double test_return = 0;
  double train_return = 0;
  double test_success = 0;
  std::vector<double> test_returns;  // by episode; of the last evaluation only
};

// A record of levels.jsonl.
struct LoggedCurriculum {
  double update = 0;
  double effective_levels = 0;
  double mean_score = 0;
  std::vector<double> by_difficulty;  // the probability of each degree; empty where there are none
};

// A row of levels.csv.
struct LoggedLevel {
  LevelId level = 0;
  double probability = 0;
  double score = 0;
  double staleness = 0;
  std::optional<int> difficulty;
};

struct RunData {
  std::filesystem::path folder;
  std::map<std::string, std::string> settings;
  std::vector<LoggedUpdate> updates;
  std::vector<LoggedEvaluation> evaluations;  // of increasing steps: the last of each number
  std::vector<LoggedCurriculum> curriculum;
  std::vector<LoggedLevel> levels;   // as of the last checkpoint, the most probable first
  std::vector<std::string> remarks;  // what is missing or damaged in it

  // Empty if there is no such setting.
  const std::string& setting(const std::string& name) const;
  const std::string& env() const { return setting("env"); }
  double steps_done() const { return updates.empty() ? 0 : updates.back().steps; }
  double steps_planned() const;
  bool is_finished = false;  // all updates and the last evaluation have been made
};

// Throws std::runtime_error naming the folder if there is nothing in it to report.
RunData read_run(const std::filesystem::path& folder);

struct FoundRuns {
  std::vector<RunData> runs;          // by folder, in the order of the alphabet
  std::vector<std::string> problems;  // a line for each folder that was left out
};

// The runs in these folders and in the folders below them.
FoundRuns find_runs(const std::vector<std::filesystem::path>& folders);

}  // namespace plr::report

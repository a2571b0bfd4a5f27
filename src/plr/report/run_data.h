// Reads run folders: everything that a report is made of (run/layout.h, run/records.h). Folders of
// exported results are read too (results.h).
//
// A run in progress can be read: an incomplete last line is ignored. The plug-in of a run is loaded
// (catalog/plugins.h); if that fails, the run has a remark.
//
//   const FoundRuns found = find_runs({"runs"});
//   for (const std::string& problem : found.problems) ...   // folders left out, and why
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plr/run/records.h"

namespace plr::report {

using run::EvalRecord;
using run::LevelRow;
using run::LevelsRecord;
using run::LogRecord;

struct RunData {
  std::filesystem::path folder;
  std::map<std::string, std::string> settings;
  std::vector<LogRecord> updates;
  std::vector<EvalRecord> evaluations;  // by increasing steps; the last one of equal steps
  std::vector<LevelsRecord> curriculum;
  std::vector<LevelRow> levels;      // at the last checkpoint, the most probable first
  std::vector<run::CvarRow> cvar;    // by plr eval --cvar; empty if it was not made
  std::vector<std::string> remarks;  // missing files and damaged lines
  bool is_finished = false;          // all updates and the final evaluation are done

  // Empty if there is no such setting.
  const std::string& setting(const std::string& name) const;
  const std::string& env() const { return setting("env"); }
  // By the log, or without one by the evaluations.
  double steps_done() const {
    if (!updates.empty()) return static_cast<double>(updates.back().steps);
    return evaluations.empty() ? 0 : static_cast<double>(evaluations.back().steps);
  }
  double steps_planned() const;
};

// The settings of a TOML file without sections. Throws std::runtime_error with place and cause.
std::map<std::string, std::string> read_settings_file(const std::filesystem::path& path);

// Throws std::runtime_error naming the folder if it holds no settings of a run or no records.
RunData read_run(const std::filesystem::path& folder);

// The folders of the runs in these folders and up to four levels below them, sorted, and those of
// these folders that hold exported results. Results below a folder are not read: they may be an
// older state of the runs beside them. Hidden folders and symbolic links are not followed. Adds a
// line to `problems` for each folder without a run.
std::vector<std::filesystem::path> run_folders(const std::vector<std::filesystem::path>& folders,
                                               std::vector<std::string>& problems);

struct FoundRuns {
  std::vector<RunData> runs;          // sorted by folder
  std::vector<std::string> problems;  // one line per folder that was left out
};

// Reads the runs of run_folders(). Of several entries of one run (same_run.h), such as a copy or an
// export, one counts: the finished one or else that with the most steps.
FoundRuns find_runs(const std::vector<std::filesystem::path>& folders);

}  // namespace plr::report

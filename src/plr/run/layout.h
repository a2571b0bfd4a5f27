// File names in a run's folder, each defined once. Records are in run/records.h, settings in
// run/settings_file.h, checkpoints in run/checkpoint.h.
//
//   if (std::filesystem::exists(folder / layout::kConfig)) ...     // the folder holds a run
//
// python/plr/run_schema.json has the same names for Python; records_test.cc compares the two.
#pragma once

#include <array>
#include <string_view>

namespace plr::run::layout {

inline constexpr std::string_view kConfig = "config.toml";
inline constexpr std::string_view kLog = "log.jsonl";
inline constexpr std::string_view kEvaluations = "eval.jsonl";
inline constexpr std::string_view kLevels = "levels.jsonl";
inline constexpr std::string_view kLevelTable = "levels.csv";
inline constexpr std::string_view kCvar = "cvar.csv";
inline constexpr std::string_view kEvents = "events.out.tfevents.plr";
inline constexpr std::string_view kReport = "report.html";
inline constexpr std::string_view kEpisode = "episode.gif";
inline constexpr std::string_view kCheckpoints = "checkpoint";

struct RunFile {
  std::string_view name;
  std::string_view meaning;
};
inline constexpr std::array kFiles = {
    RunFile{kConfig, "Every setting of the run"},
    RunFile{kLog, "One record per update"},
    RunFile{kEvaluations, "One record per evaluation"},
    RunFile{kLevels,
            "One record every `levels_interval` updates: how the replay probability is "
            "distributed over the levels"},
    RunFile{kLevelTable, "One row per level, as of the last checkpoint"},
    RunFile{kCvar, "One row per level, by `plr eval --cvar`"},
    RunFile{kEvents,
            "For TensorBoard: the numbers of log.jsonl and eval.jsonl, the settings, pictures of the "
            "most probable levels"},
    RunFile{kReport, "A page about the run"},
    RunFile{kEpisode, "The trained agent on a level outside the training set"},
    RunFile{kCheckpoints, "The newest two checkpoints"}};

// In the directory of one checkpoint.
inline constexpr std::string_view kManifest = "checkpoint.json";
inline constexpr std::string_view kTensors = "tensors.safetensors";
inline constexpr std::string_view kStates = "states";
inline constexpr std::string_view kLogSeals = "logs.seal";

}  // namespace plr::run::layout

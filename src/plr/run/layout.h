// File names in a run's folder, each defined once.
//
//   FOLDER/config.toml               every setting (run/settings_file.h)
//          log.jsonl                 a LogRecord per update (run/records.h)
//          eval.jsonl                an EvalRecord per evaluation
//          levels.jsonl              a LevelsRecord every levels_interval updates
//          levels.csv                a LevelRow per level, as of the last checkpoint
//          cvar.csv                  a CvarRow per level, by plr eval --cvar
//          events.out.tfevents.plr   the numbers of log.jsonl and eval.jsonl for TensorBoard
//          report.html               a page about the run
//          checkpoint/               the newest two checkpoints (run/checkpoint.h)
//
//   if (std::filesystem::exists(folder / layout::kConfig)) ...     // the folder holds a run
//
// python/plr/run_schema.json has the same names for Python; records_test.cc compares the two.
#pragma once

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
inline constexpr std::string_view kCheckpoints = "checkpoint";

// In the directory of one checkpoint.
inline constexpr std::string_view kManifest = "checkpoint.json";
inline constexpr std::string_view kTensors = "tensors.safetensors";
inline constexpr std::string_view kStates = "states";

}  // namespace plr::run::layout

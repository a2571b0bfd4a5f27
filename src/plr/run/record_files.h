// Conversion of run records (run/records.h) to and from JSON, CSV and TensorBoard.
//
//   JsonLines log(folder / layout::kLog);
//   log.append(record_to_json(record));
//   const ReadRecords<LogRecord> read = read_records<LogRecord>(folder / layout::kLog);
//
// `Record` is LogRecord, EvalRecord or LevelsRecord; TestLevel for JSON too. Numbers that are not
// finite are null in JSON and are read back as NaN. The functions are thread-safe.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plr/run/records.h"
#include "plr/run/tensorboard.h"

namespace plr::run {

template <class Record>
nlohmann::ordered_json record_to_json(const Record& record);

// Throws std::runtime_error naming the field that is missing or of a wrong type.
template <class Record>
Record record_from_json(const nlohmann::json& json);

// The numbers of a LogRecord or an EvalRecord, except `steps`, which is the position on the axis.
template <class Record>
std::vector<Scalar> record_scalars(const Record& record);

// Records of a file that may still be growing.
template <class Record>
struct ReadRecords {
  std::vector<Record> records;
  // "eval.jsonl: 2 damaged lines left out, the first is line 3 (test_return is missing)";
  // "eval.jsonl is missing"; empty if all lines were read.
  std::string problem;
};

// Reads a file of JSON lines. A last line without a line end is being written and is ignored;
// damaged lines are left out. Throws std::runtime_error if the file cannot be read.
template <class Record>
ReadRecords<Record> read_records(const std::filesystem::path& file);

// The last complete line of a file of JSON lines, read from its end; nothing if the file is missing
// or empty, or if that line is damaged.
template <class Record>
std::optional<Record> read_last_record(const std::filesystem::path& file);

// levels.csv and cvar.csv: a line of column names, then one line per row.
std::string level_table_to_csv(const std::vector<LevelRow>& rows);
std::string cvar_to_csv(const std::vector<CvarRow>& rows);
// Columns are found by name. Otherwise like read_records().
ReadRecords<LevelRow> read_level_table(const std::filesystem::path& file);
ReadRecords<CvarRow> read_cvar(const std::filesystem::path& file);

// File names of a run, and names and presence of the fields of each record, for other languages:
// python/plr/run_schema.json holds this text.
nlohmann::ordered_json run_schema();

}  // namespace plr::run

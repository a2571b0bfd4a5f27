#include "plr/run/record_files.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "plr/base/counted.h"
#include "plr/base/fields.h"
#include "plr/base/files.h"
#include "plr/base/open_file.h"
#include "plr/run/layout.h"
#include "plr/run/parse_json.h"

namespace plr::run {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// ---- values of fields ---------------------------------------------------------------------------

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <class T>
bool is_set(const std::optional<T>& value) {
  return value.has_value();
}
template <class T>
bool is_set(const std::vector<T>& value) {
  return !value.empty();
}
bool is_set(bool value) { return value; }
bool is_set(const auto&) { return true; }

OrderedJson value_to_json(const auto& value) { return value; }
template <class T>
OrderedJson value_to_json(const std::optional<T>& value) {
  return value.has_value() ? value_to_json(*value) : OrderedJson();
}
template <class Record>
OrderedJson list_to_json(const std::vector<Record>& records) {
  OrderedJson list = OrderedJson::array();
  for (const Record& record : records) list.push_back(record_to_json(record));
  return list;
}
OrderedJson value_to_json(const std::vector<LeadingLevel>& levels) { return list_to_json(levels); }
OrderedJson value_to_json(const std::vector<TestLevel>& levels) { return list_to_json(levels); }

[[noreturn]] void throw_wrong_type(std::string_view name, const char* type) {
  throw std::runtime_error(std::string(name) + " is not " + type);
}

template <class Number>
requires is_number<Number>
void value_from_json(std::string_view name, const Json& json, Number& value) {
  if (std::floating_point<Number> && json.is_null()) {
    value = static_cast<Number>(kMissing);
  } else if (!json.is_number()) {
    throw_wrong_type(name, "a number");
  } else if constexpr (std::integral<Number>) {
    const std::optional<Number> whole = whole_number<Number>(json);
    if (!whole) throw_wrong_type(name, "a whole number in range");
    value = *whole;
  } else {
    value = json.get<Number>();
  }
}
void value_from_json(std::string_view name, const Json& json, bool& value) {
  if (!json.is_boolean()) throw_wrong_type(name, "true or false");
  value = json.get<bool>();
}
void value_from_json(std::string_view name, const Json& json, std::string& value) {
  if (!json.is_string()) throw_wrong_type(name, "a string");
  value = json.get<std::string>();
}
void value_from_json(std::string_view /*name*/, const Json& json, LeadingLevel& value) {
  value = record_from_json<LeadingLevel>(json);
}
void value_from_json(std::string_view /*name*/, const Json& json, TestLevel& value) {
  value = record_from_json<TestLevel>(json);
}
template <class T>
void value_from_json(std::string_view name, const Json& json, std::optional<T>& value) {
  value_from_json(name, json, value.emplace());
}
template <class T>
void value_from_json(std::string_view name, const Json& json, std::vector<T>& value) {
  if (!json.is_array()) throw_wrong_type(name, "a list");
  for (const Json& element : json) value_from_json(name, element, value.emplace_back());
}

// ---- lines of a file ----------------------------------------------------------------------------

constexpr std::size_t kMaxLine = std::size_t{1} << 26;  // of a log; longer ones are damaged

// Calls read_line(line), which throws std::runtime_error for a damaged one, for each complete line.
template <class ReadLine>
std::string read_lines(const std::filesystem::path& file, ReadLine&& read_line) {
  const std::string name = file.filename().string();
  const std::string text = read_text(file);
  int line_number = 0;
  int num_damaged = 0;
  std::string first_damage;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    ++line_number;
    try {
      read_line(std::string_view(text).substr(begin, end - begin));
    } catch (const std::runtime_error& error) {
      if (num_damaged++ == 0) {
        first_damage = "line " + std::to_string(line_number) + " (" + error.what() + ")";
      }
    }
    begin = end + 1;
  }
  if (num_damaged == 0) return "";
  return name + ": " + counted(num_damaged, "damaged line") + " left out, the first is " +
         first_damage;
}

template <class Record>
Record record_from_line(std::string_view line) {
  if (line.size() > kMaxLine) {
    throw std::runtime_error("it has more than " + std::to_string(kMaxLine) + " bytes");
  }
  return record_from_json<Record>(parse_json(line));
}

// The last line that has an end, read from the end of the file; empty if there is none.
std::string last_line(const std::filesystem::path& path) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK, "read");
  file.expect_regular("read");
  const std::uint64_t size = file.size();
  for (std::uint64_t length = 1 << 13;; length *= 4) {
    length = std::min({length, size, std::uint64_t{kMaxLine}});
    std::string tail(length, '\0');
    tail.resize(file.read_at(size - length, std::as_writable_bytes(std::span(tail))));
    const std::size_t end = tail.rfind('\n');
    const std::size_t before =
        end == std::string::npos || end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
    if (before != std::string::npos) return tail.substr(before + 1, end - before - 1);
    if (length == size) return end == std::string::npos ? "" : tail.substr(0, end);
    if (length == kMaxLine) return "";
  }
}

// ---- CSV ----------------------------------------------------------------------------------------

std::vector<std::string_view> split_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

void value_from_cell(std::string_view /*name*/, std::string_view cell, std::string& value) {
  value = cell;
}
template <class Number>
void value_from_cell(std::string_view name, std::string_view cell, Number& value) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) throw_wrong_type(name, "a number");
}
template <class Number>
void value_from_cell(std::string_view name, std::string_view cell, std::optional<Number>& value) {
  if (!cell.empty()) value_from_cell(name, cell, value.emplace());
}

std::string value_to_cell(const auto& value) { return to_text(value); }
template <class Number>
std::string value_to_cell(const std::optional<Number>& value) {
  return value ? to_text(*value) : "";
}

template <class Row>
Row row_from_cells(const std::vector<std::string_view>& names,
                   const std::vector<std::string_view>& cells) {
  if (cells.size() != names.size()) {
    throw std::runtime_error(std::to_string(cells.size()) + " cells, not " +
                             std::to_string(names.size()));
  }
  Row row;
  visit_record(row, [&](std::string_view name, auto& value, Presence presence, std::string_view) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) {
      value_from_cell(name, cells[static_cast<std::size_t>(found - names.begin())], value);
    } else if (presence == Presence::kRequired) {
      throw std::runtime_error(std::string(name) + " is missing");
    }
  });
  return row;
}

template <class Row>
std::string rows_to_csv(const std::vector<Row>& rows) {
  std::string text;
  const auto add_line = [&](const Row& row, auto&& cell) {
    const char* separator = "";
    visit_record(row, [&](const char* name, const auto& value, Presence, std::string_view) {
      text += separator + cell(name, value);
      separator = ",";
    });
    text += "\n";
  };
  add_line({}, [](const char* name, const auto&) { return std::string(name); });
  for (const Row& row : rows) {
    add_line(row, [](const char*, const auto& value) { return value_to_cell(value); });
  }
  return text;
}

template <class Row>
ReadRecords<Row> read_rows(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {{}, file.filename().string() + " is missing"};
  ReadRecords<Row> read;
  std::string head;
  read.problem = read_lines(file, [&](std::string_view line) {
    if (head.empty()) {
      head = line;
    } else {
      read.records.push_back(row_from_cells<Row>(split_cells(head), split_cells(line)));
    }
  });
  return read;
}

// ---- the schema ---------------------------------------------------------------------------------

template <class Record>
OrderedJson fields_schema() {
  constexpr const char* kPresence[] = {"required", "expected", "optional"};
  OrderedJson fields = OrderedJson::object();
  Record record;
  visit_record(record,
               [&](std::string_view name, const auto&, Presence presence, std::string_view) {
                 fields[std::string(name)] = kPresence[static_cast<std::size_t>(presence)];
               });
  return fields;
}

}  // namespace

template <class Record>
nlohmann::ordered_json record_to_json(const Record& record) {
  OrderedJson json = OrderedJson::object();
  visit_record(record,
               [&](const char* name, const auto& value, Presence presence, std::string_view) {
                 if (presence != Presence::kOptional || is_set(value))
                   json[name] = value_to_json(value);
               });
  return json;
}

template <class Record>
Record record_from_json(const nlohmann::json& json) {
  if (!json.is_object()) throw std::runtime_error("not a JSON object");
  Record record;
  visit_record(record, [&](const char* name, auto& value, Presence presence, std::string_view) {
    const auto found = json.find(name);
    const bool is_required = presence == Presence::kRequired;
    if (found == json.end()) {
      if (is_required) throw std::runtime_error(std::string(name) + " is missing");
    } else {
      if (is_required && found->is_null()) throw_wrong_type(name, "a number");
      value_from_json(name, *found, value);
    }
  });
  return record;
}

template <class Record>
std::vector<Scalar> record_scalars(const Record& record) {
  std::vector<Scalar> scalars;
  const auto add = [&]<class T>(const char* name, const T& value) {
    if constexpr (is_number<T>) {
      scalars.push_back({std::string(Record::kTagPrefix) + name, static_cast<float>(value)});
    }
  };
  visit_record(record, [&]<class T>(const char* name, const T& value, Presence, std::string_view) {
    if (std::string_view(name) == "steps") return;
    if constexpr (requires { value.has_value(); }) {
      if (value) add(name, *value);
    } else {
      add(name, value);
    }
  });
  return scalars;
}

template <class Record>
ReadRecords<Record> read_records(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {{}, file.filename().string() + " is missing"};
  ReadRecords<Record> read;
  read.problem = read_lines(
      file, [&](std::string_view line) { read.records.push_back(record_from_line<Record>(line)); });
  return read;
}

template <class Record>
std::optional<Record> read_last_record(const std::filesystem::path& path) {
  try {
    return record_from_line<Record>(last_line(path));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::string level_table_to_csv(const std::vector<LevelRow>& rows) { return rows_to_csv(rows); }
std::string cvar_to_csv(const std::vector<CvarRow>& rows) { return rows_to_csv(rows); }

ReadRecords<LevelRow> read_level_table(const std::filesystem::path& file) {
  return read_rows<LevelRow>(file);
}
ReadRecords<CvarRow> read_cvar(const std::filesystem::path& file) {
  return read_rows<CvarRow>(file);
}

nlohmann::ordered_json run_schema() {
  return {{"files",
           {{"config", layout::kConfig},
            {"log", layout::kLog},
            {"eval", layout::kEvaluations},
            {"levels", layout::kLevels},
            {"level_table", layout::kLevelTable},
            {"cvar", layout::kCvar},
            {"events", layout::kEvents},
            {"report", layout::kReport},
            {"episode", layout::kEpisode},
            {"checkpoints", layout::kCheckpoints}}},
          {"records",
           {{"log", fields_schema<LogRecord>()},
            {"eval", fields_schema<EvalRecord>()},
            {"levels", fields_schema<LevelsRecord>()},
            {"level_table", fields_schema<LevelRow>()},
            {"cvar", fields_schema<CvarRow>()}}}};
}

template nlohmann::ordered_json record_to_json(const LogRecord&);
template nlohmann::ordered_json record_to_json(const EvalRecord&);
template nlohmann::ordered_json record_to_json(const LevelsRecord&);
template nlohmann::ordered_json record_to_json(const TestLevel&);
template LogRecord record_from_json(const nlohmann::json&);
template EvalRecord record_from_json(const nlohmann::json&);
template LevelsRecord record_from_json(const nlohmann::json&);
template std::vector<Scalar> record_scalars(const LogRecord&);
template std::vector<Scalar> record_scalars(const EvalRecord&);
template ReadRecords<LogRecord> read_records(const std::filesystem::path&);
template ReadRecords<EvalRecord> read_records(const std::filesystem::path&);
template ReadRecords<LevelsRecord> read_records(const std::filesystem::path&);
template std::optional<LogRecord> read_last_record(const std::filesystem::path&);
template std::optional<EvalRecord> read_last_record(const std::filesystem::path&);

}  // namespace plr::run

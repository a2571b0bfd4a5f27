#include "plr/report/run_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

#include "plr/base/files.h"
#include "plr/run/settings_file.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A number of a record; NaN where it is missing, or null since it was none.
double number(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_number() ? found->get<double>()
                                                     : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> numbers(const Json& record, const char* name) {
  std::vector<double> list;
  const auto found = record.find(name);
  if (found == record.end() || !found->is_array()) return list;
  for (const Json& value : *found) {
    if (value.is_number()) list.push_back(value.get<double>());
  }
  return list;
}

// Calls take(line) for each whole line; what stands after the last line's end is being written.
void for_each_line(const std::string& text, const std::function<bool(std::string_view)>& take,
                   const std::string& name, std::vector<std::string>& remarks) {
  int line_number = 0;
  int first_bad = 0;
  int num_bad = 0;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    ++line_number;
    if (!take(std::string_view(text).substr(begin, end - begin))) {
      if (num_bad++ == 0) first_bad = line_number;
    }
    begin = end + 1;
  }
  if (num_bad > 0) {
    remarks.push_back(name + ": " + std::to_string(num_bad) + " damaged line" +
                      (num_bad > 1 ? "s" : "") + " left out, the first is line " +
                      std::to_string(first_bad));
  }
}

// Takes each record of a file of JSON lines; one whose `required` number is missing is damaged.
void for_each_record(RunData& run, const char* name, const char* required,
                     const std::function<void(const Json&)>& take) {
  const fs::path path = run.folder / name;
  if (!fs::exists(path)) {
    run.remarks.push_back(std::string(name) + " is missing");
    return;
  }
  const auto take_line = [&](std::string_view line) {
    const Json record = Json::parse(line, nullptr, false);
    if (!record.is_object() || std::isnan(number(record, required))) return false;
    take(record);
    return true;
  };
  for_each_line(read_text(path), take_line, name, run.remarks);
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool take_level(std::string_view line, std::vector<LoggedLevel>& levels) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  LoggedLevel level;
  if (cells.size() != 5 || !parse_number(cells[0], level.level) ||
      !parse_number(cells[1], level.probability) || !parse_number(cells[2], level.score) ||
      !parse_number(cells[3], level.staleness)) {
    return false;
  }
  int difficulty = 0;
  if (parse_number(cells[4], difficulty)) level.difficulty = difficulty;
  levels.push_back(level);
  return true;
}

void read_levels(RunData& run) {
  const fs::path path = run.folder / "levels.csv";
  if (!fs::exists(path)) return;  // there is no need for it
  bool is_head = true;
  const auto take_line = [&](std::string_view line) {
    if (std::exchange(is_head, false)) return true;
    return take_level(line, run.levels);
  };
  for_each_line(read_text(path), take_line, "levels.csv", run.remarks);
}

std::map<std::string, std::string> settings_of(const fs::path& folder) {
  const fs::path path = folder / "config.toml";
  std::map<std::string, std::string> settings;
  try {
    settings = run::parse_flat_settings(read_text(path), path.string());
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(error.what());
  }
  for (const char* name : {"env", "curriculum", "seed", "steps"}) {
    if (!settings.contains(name)) {
      throw std::runtime_error(path.string() + " is not that of a run: it has no " + name);
    }
  }
  return settings;
}

// The last evaluation is the only one that lists its returns; after it a run may have been resumed
// with more steps to go.
bool is_finished(const RunData& run) {
  if (run.updates.empty() || run.evaluations.empty()) return false;
  const LoggedEvaluation& last = run.evaluations.back();
  return !last.test_returns.empty() && last.steps == run.steps_done();
}

void find_folders(const fs::path& folder, int depth, std::set<fs::path>& found) {
  if (fs::exists(folder / "config.toml")) {
    found.insert(folder);
    return;
  }
  constexpr int kDeepest = 4;
  if (depth == kDeepest) return;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const bool is_hidden = entry.path().filename().string().starts_with(".");
    if (entry.is_directory(ignored) && !entry.is_symlink() && !is_hidden) {
      find_folders(entry.path(), depth + 1, found);
    }
  }
}

}  // namespace

const std::string& RunData::setting(const std::string& name) const {
  static const std::string none;
  const auto found = settings.find(name);
  return found != settings.end() ? found->second : none;
}

double RunData::steps_planned() const {
  double steps = 0;
  parse_number(std::string_view(setting("steps")), steps);
  return steps;
}

RunData read_run(const fs::path& folder) {
  RunData run;
  run.folder = folder;
  run.settings = settings_of(folder);
  for_each_record(run, "log.jsonl", "steps", [&](const Json& record) {
    run.updates.push_back(
        {number(record, "steps"), number(record, "return"), number(record, "steps_per_second")});
  });
  for_each_record(run, "eval.jsonl", "test_return", [&](const Json& record) {
    LoggedEvaluation evaluation{.steps = number(record, "steps"),
                                .test_return = number(record, "test_return"),
                                .train_return = number(record, "train_return"),
                                .test_success = number(record, "test_success"),
                                .test_returns = numbers(record, "test_returns")};
    // The last evaluation, of more episodes, may stand beside another of the same update.
    auto& list = run.evaluations;
    while (!list.empty() && list.back().steps >= evaluation.steps) list.pop_back();
    list.push_back(std::move(evaluation));
  });
  for_each_record(run, "levels.jsonl", "update", [&](const Json& record) {
    run.curriculum.push_back({number(record, "update"), number(record, "effective_levels"),
                              number(record, "mean_score"), numbers(record, "by_difficulty")});
  });
  read_levels(run);
  run.is_finished = is_finished(run);
  if (run.updates.empty() && run.evaluations.empty()) {
    throw std::runtime_error(folder.string() + " has no records yet");
  }
  if (run.evaluations.empty()) run.remarks.push_back("has not been evaluated yet");
  return run;
}

FoundRuns find_runs(const std::vector<fs::path>& folders) {
  FoundRuns found;
  std::set<fs::path> places;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) {
      found.problems.push_back("there is no folder " + folder.string());
      continue;
    }
    std::set<fs::path> here;
    // The same name for the same folder, with or without a slash at its end.
    const fs::path plain = folder.lexically_normal();
    find_folders(plain.has_filename() ? plain : plain.parent_path(), 0, here);
    if (here.empty()) {
      found.problems.push_back(folder.string() + " holds no run (no config.toml in it or below)");
    }
    places.merge(here);
  }
  for (const fs::path& place : places) {
    try {
      found.runs.push_back(read_run(place));
    } catch (const std::runtime_error& error) {
      found.problems.emplace_back(error.what());
    }
  }
  return found;
}

}  // namespace plr::report

#include "plr/report/results.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "plr/base/files.h"
#include "plr/report/csv_files.h"
#include "plr/report/csv_table.h"
#include "plr/report/difficulty.h"
#include "plr/report/training_log.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;

CsvTable read_table(const fs::path& file) { return {read_text(file), file.string()}; }

// Missing for an empty cell.
double number_or_missing(const CsvTable& table, std::size_t row, std::string_view column) {
  return table.text(row, column).empty() ? run::kMissing : table.number(row, column);
}

// The numbers of a cell, up to the first that is none.
template <class Number>
std::vector<Number> numbers_of(const CsvTable& table, std::size_t row, std::string_view column) {
  std::istringstream text(table.text(row, column));
  return {std::istream_iterator<Number>(text), {}};
}

// The runs of the folder by the columns that all of its files have: env, method and seed.
class RunsByName {
 public:
  explicit RunsByName(const CsvTable& runs_csv) : runs_(runs_csv.num_rows()) {
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      const bool is_new = rows_.try_emplace(name_of(runs_csv, row), row).second;
      if (is_new) continue;
      throw std::runtime_error(
          runs_csv.place(row) +
          ": another run has the same env, method and seed; report the folders "
          "of these runs instead");
    }
  }

  std::vector<RunData>& all() { return runs_; }

  // Calls use(run, row) for every row of a table. Throws std::runtime_error if runs.csv has no such
  // run.
  template <class Use>
  void for_each_row(const CsvTable& table, Use use) {
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      const auto found = rows_.find(name_of(table, row));
      if (found == rows_.end()) {
        throw std::runtime_error(table.place(row) + ": runs.csv has no such run");
      }
      use(runs_[found->second], row);
    }
  }

 private:
  static std::string name_of(const CsvTable& table, std::size_t row) {
    return table.text(row, "env") + "\n" + table.text(row, "method") + "\n" +
           table.text(row, "seed");
  }

  std::vector<RunData> runs_;
  std::map<std::string, std::size_t> rows_;
};

void read_settings(const CsvTable& runs_csv, const fs::path& folder, std::vector<RunData>& runs) {
  const std::map<std::string, std::string> common = read_settings_file(folder / kSettingsFile);
  for (std::size_t row = 0; row < runs.size(); ++row) {
    RunData& run = runs[row];
    run.folder = runs_csv.text(row, "run");
    run.is_finished = runs_csv.text(row, "finished") == "1";
    run.settings = common;
    for (const char* name : {"env", "seed"}) run.settings[name] = runs_csv.text(row, name);
    for (const auto& [name, value] : runs_csv.cells_after(row, kLastNumberColumn)) {
      if (!value.empty()) run.settings[name] = value;
    }
  }
}

// The last evaluation is in runs.csv with all its digits, and its versions are those of the run.
void complete_evaluations(const CsvTable& runs_csv, std::size_t row, RunData& run) {
  if (run.evaluations.empty()) return;
  const auto versions = numbers_of<std::int64_t>(runs_csv, row, "behavior_version");
  for (std::size_t i = 0; i < run.evaluations.size() && !versions.empty(); ++i) {
    run.evaluations[i].behavior_version = versions[std::min(i, versions.size() - 1)];
  }
  EvalRecord& last = run.evaluations.back();
  last.test_return = run.is_finished ? runs_csv.number(row, "test_return")
                                     : number_or_missing(runs_csv, row, "test_return");
  last.train_return = number_or_missing(runs_csv, row, "train_return");
  last.test_success = number_or_missing(runs_csv, row, "test_success");
  last.is_final = run.is_finished;
  // The worst tenth of one return is that return.
  if (!runs_csv.text(row, "worst_tenth").empty()) {
    last.test_returns = {runs_csv.number(row, "worst_tenth")};
  }
}

EvalRecord evaluation_of(const CsvTable& table, std::size_t row) {
  EvalRecord evaluation;
  evaluation.steps = table.integer(row, "steps");
  evaluation.test_return = number_or_missing(table, row, "test_return");
  evaluation.train_return = number_or_missing(table, row, "train_return");
  evaluation.test_success = number_or_missing(table, row, "test_success");
  evaluation.test_length = number_or_missing(table, row, "test_length");
  return evaluation;
}

// A row of training.csv: several updates of the run.
LogRecord log_record_of(const CsvTable& table, std::size_t row) {
  LogRecord record;
  record.steps = table.integer(row, "steps");
  run::visit_record(record,
                    [&](std::string_view name, auto& value, run::Presence, std::string_view) {
                      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double>) {
                        if (is_training_column(name)) value = number_or_missing(table, row, name);
                      }
                    });
  if (const std::string& counts = table.text(row, "augmentation"); !counts.empty()) {
    record.augmentation = counts;
  }
  return record;
}

}  // namespace

bool has_results(const fs::path& folder) {
  return fs::exists(folder / kRunsFile) && fs::exists(folder / kSettingsFile);
}

std::vector<RunData> read_results(const fs::path& folder) {
  const CsvTable runs_csv = read_table(folder / kRunsFile);
  RunsByName runs(runs_csv);
  read_settings(runs_csv, folder, runs.all());
  const auto read_rows = [&](std::string_view name, auto use) {
    if (name != kEvaluationsFile && !fs::exists(folder / name)) return;
    const CsvTable table = read_table(folder / name);
    runs.for_each_row(table, [&](RunData& run, std::size_t row) { use(table, row, run); });
  };
  read_rows(kEvaluationsFile, [](const CsvTable& table, std::size_t row, RunData& run) {
    run.evaluations.push_back(evaluation_of(table, row));
  });
  read_rows(kTrainingFile, [](const CsvTable& table, std::size_t row, RunData& run) {
    run.updates.push_back(log_record_of(table, row));
  });
  for (std::size_t row = 0; row < runs_csv.num_rows(); ++row) {
    RunData& run = runs.all()[row];
    complete_evaluations(runs_csv, row, run);
    if (run.updates.empty()) continue;
    run.updates.back().steps_per_second = number_or_missing(runs_csv, row, kLastNumberColumn);
  }
  read_rows(kDifficultyFile, [](const CsvTable& table, std::size_t row, RunData& run) {
    LevelsRecord& record = run.curriculum.emplace_back();
    record.update = table.integer(row, "update");
    record.by_difficulty = numbers_of<double>(table, row, "probabilities");
  });
  return std::move(runs.all());
}

}  // namespace plr::report

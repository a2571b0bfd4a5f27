#include "plr/report/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <utility>

#include "plr/base/files.h"
#include "plr/catalog/plugins.h"
#include "plr/report/results.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"
#include "plr/run/settings_file.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;
namespace layout = run::layout;
using run::read_records;
using run::ReadRecords;

// Takes the records that could be read, and remarks on the others.
template <class Record>
std::vector<Record> take(ReadRecords<Record> read, std::vector<std::string>& remarks) {
  if (!read.problem.empty()) remarks.push_back(std::move(read.problem));
  return std::move(read.records);
}

std::map<std::string, std::string> settings_of(const fs::path& folder) {
  const fs::path path = folder / layout::kConfig;
  std::map<std::string, std::string> settings = read_settings_file(path);
  for (const char* name : {"env", "curriculum", "seed", "steps"}) {
    if (!settings.contains(name)) {
      throw std::runtime_error(path.string() + " does not belong to a run: it has no " + name);
    }
  }
  return settings;
}

// Loads the plug-in of a run, for pictures of its levels, names and normalized returns; a report
// without them is complete.
void load_plugin_of(RunData& run) {
  if (run.setting("plugin").empty() || catalog::find_plugin(run.env()) != nullptr) return;
  try {
    catalog::load_plugin(run.setting("plugin"), catalog::NamedBy::kRun);
  } catch (const std::exception& error) {
    run.remarks.push_back(std::string("levels are not drawn: ") + error.what());
  }
}

// The final evaluation may follow another one of the same update; the later record counts.
std::vector<EvalRecord> last_per_steps(std::vector<EvalRecord> records) {
  std::vector<EvalRecord> kept;
  for (EvalRecord& record : records) {
    while (!kept.empty() && kept.back().steps >= record.steps) kept.pop_back();
    kept.push_back(std::move(record));
  }
  return kept;
}

void find_folders(const fs::path& folder, int depth, std::set<fs::path>& found) {
  if (fs::exists(folder / layout::kConfig) || (depth == 0 && has_results(folder))) {
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

bool have_equal_settings(const RunData& a, const RunData& b) {
  const auto includes = [](const RunData& x, const RunData& y) {
    return std::ranges::all_of(
        y.settings, [&](const auto& entry) { return x.setting(entry.first) == entry.second; });
  };
  return includes(a, b) && includes(b, a);
}

// Moves the runs whose settings, the seed included, no other run has. Returns their number.
std::size_t add_new_runs(std::vector<RunData>& runs, std::vector<RunData>& all) {
  std::size_t num_new = 0;
  for (RunData& run : runs) {
    const auto is_twin = [&](const RunData& other) { return have_equal_settings(run, other); };
    if (std::ranges::any_of(all, is_twin)) continue;
    all.push_back(std::move(run));
    ++num_new;
  }
  return num_new;
}

}  // namespace

const std::string& RunData::setting(const std::string& name) const {
  static const std::string none;
  const auto found = settings.find(name);
  return found != settings.end() ? found->second : none;
}

double RunData::steps_planned() const {
  const std::string& text = setting("steps");
  double steps = 0;
  std::from_chars(text.data(), text.data() + text.size(), steps);
  return steps;
}

std::map<std::string, std::string> read_settings_file(const fs::path& path) {
  std::map<std::string, std::string> settings;
  try {
    for (run::Setting& setting :
         run::parse_flat_settings(read_text(path, kMaxSettingsSize), path.string())) {
      settings[setting.name] = std::move(setting.value);
    }
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(error.what());
  }
  return settings;
}

RunData read_run(const fs::path& folder) {
  RunData run;
  run.folder = folder;
  run.settings = settings_of(folder);
  load_plugin_of(run);
  run.updates = take(read_records<LogRecord>(folder / layout::kLog), run.remarks);
  run.evaluations =
      last_per_steps(take(read_records<EvalRecord>(folder / layout::kEvaluations), run.remarks));
  run.curriculum = take(read_records<LevelsRecord>(folder / layout::kLevels), run.remarks);
  if (fs::exists(folder / layout::kLevelTable)) {  // written by the first checkpoint
    run.levels = take(run::read_level_table(folder / layout::kLevelTable), run.remarks);
  }
  if (fs::exists(folder / layout::kCvar)) {
    run.cvar = take(run::read_cvar(folder / layout::kCvar), run.remarks);
  }
  run.is_finished = !run.updates.empty() && !run.evaluations.empty() &&
                    run::is_finished(run.updates.back(), run.evaluations.back());
  if (run.updates.empty() && run.evaluations.empty()) {
    throw std::runtime_error(folder.string() + " has no records yet");
  }
  if (run.evaluations.empty()) run.remarks.push_back("has not been evaluated yet");
  return run;
}

std::vector<fs::path> run_folders(const std::vector<fs::path>& folders,
                                  std::vector<std::string>& problems) {
  std::set<fs::path> places;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) {
      problems.push_back("there is no folder " + folder.string());
      continue;
    }
    std::set<fs::path> here;
    // The same name for a folder with or without a slash at its end.
    const fs::path plain = folder.lexically_normal();
    find_folders(plain.has_filename() ? plain : plain.parent_path(), 0, here);
    if (here.empty()) {
      problems.push_back(folder.string() + " holds no run (no config.toml in it or below)");
    }
    places.merge(here);
  }
  return {places.begin(), places.end()};
}

FoundRuns find_runs(const std::vector<fs::path>& folders) {
  FoundRuns found;
  std::vector<std::pair<fs::path, std::vector<RunData>>> results;
  for (const fs::path& place : run_folders(folders, found.problems)) {
    try {
      if (fs::exists(place / layout::kConfig)) {
        found.runs.push_back(read_run(place));
      } else {
        results.emplace_back(place, read_results(place));
      }
    } catch (const std::runtime_error& error) {
      found.problems.emplace_back(error.what());
    }
  }
  for (auto& [place, runs] : results) {
    const std::size_t num_new = add_new_runs(runs, found.runs);
    if (num_new == runs.size()) continue;
    found.problems.push_back(fmt::format("{} of {} runs of {}, which are also elsewhere",
                                         runs.size() - num_new, runs.size(), place.string()));
  }
  std::ranges::stable_sort(found.runs, {}, &RunData::folder);
  return found;
}

}  // namespace plr::report

#include "plr/report/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <utility>

#include "plr/base/files.h"
#include "plr/catalog/plugins.h"
#include "plr/report/csv_files.h"
#include "plr/report/results.h"
#include "plr/report/same_run.h"
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

// Collects runs, each once, and counts those that are left out by the folder that holds them.
class UniqueRuns {
 public:
  void add(RunData run, const fs::path& source) {
    ++sources_[source].num_runs;
    Entry entry{std::move(run), source};
    const auto twin = std::ranges::find_if(
        entries_, [&](const Entry& other) { return is_same_run(entry.run, other.run); });
    if (twin == entries_.end()) {
      entries_.push_back(std::move(entry));
      return;
    }
    if (is_further(entry.run, twin->run)) std::swap(entry, *twin);
    ++sources_[entry.source].num_left_out;
  }

  void move_to(FoundRuns& found) {
    for (Entry& entry : entries_) found.runs.push_back(std::move(entry.run));
    for (const auto& [source, counts] : sources_) {
      if (counts.num_left_out == 0) continue;
      found.problems.push_back(
          fmt::format("{} of {} runs of {}, copies of others (equal settings, seeds and returns)",
                      counts.num_left_out, counts.num_runs, source.string()));
    }
  }

 private:
  struct Entry {
    RunData run;
    fs::path source;
  };
  struct Counts {
    std::size_t num_runs = 0;
    std::size_t num_left_out = 0;
  };
  std::vector<Entry> entries_;
  std::map<fs::path, Counts> sources_;
};

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
  std::map<fs::path, fs::path> places;  // their names, by their absolute paths without links
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
      const bool is_results = fs::exists(folder / kRunsFile);
      problems.push_back(
          folder.string() +
          (is_results ? " has runs.csv without settings.toml; plr report --export writes both"
                      : " holds no run (no config.toml in it or below)"));
    }
    for (const fs::path& place : here) places.try_emplace(fs::canonical(place), place);
  }
  std::vector<fs::path> names;
  for (const auto& [path, name] : places) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

FoundRuns find_runs(const std::vector<fs::path>& folders) {
  FoundRuns found;
  UniqueRuns runs;
  std::vector<fs::path> results;  // after run folders, which hold more
  const auto try_to = [&](const auto& read) {
    try {
      read();
    } catch (const std::runtime_error& error) {
      found.problems.emplace_back(error.what());
    }
  };
  for (const fs::path& place : run_folders(folders, found.problems)) {
    if (fs::exists(place / layout::kConfig)) {
      try_to([&] { runs.add(read_run(place), place.parent_path()); });
    } else {
      results.push_back(place);
    }
  }
  for (const fs::path& place : results) {
    try_to([&] {
      for (RunData& run : read_results(place)) runs.add(std::move(run), place);
    });
  }
  runs.move_to(found);
  std::ranges::stable_sort(found.runs, {}, &RunData::folder);
  return found;
}

}  // namespace plr::report

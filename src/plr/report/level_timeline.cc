#include "plr/report/level_timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <memory>
#include <unordered_map>

#include "plr/base/bytes.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/core/level_store.h"
#include "plr/report/curves.h"

namespace plr::report {
namespace {

// Returns of shortest solutions, each computed once.
class Solver {
 public:
  // Throws as catalog::level_tools() does.
  explicit Solver(const RunData& run) {
    EnvOptions options;
    for (const auto& [name, value] : run.settings) set_field(options, name, value);
    tools_ = catalog::level_tools(run.env(), options, store_);
  }

  bool can_solve() const { return static_cast<bool>(tools_.optimal_return); }

  double solution(const run::LeadingLevel& level) {
    const auto [found, is_new] = known_.try_emplace(level.level, 0);
    if (is_new) {
      if (level.data) store_->add(from_hex(*level.data).value());
      found->second = tools_.optimal_return(level.level);
    }
    return found->second;
  }

 private:
  std::shared_ptr<LevelStore> store_ = std::make_shared<LevelStore>();
  LevelTools tools_;
  std::unordered_map<std::uint64_t, double> known_;
};

std::vector<double> mean_solutions(const RunData& run,
                                   const std::vector<const LevelsRecord*>& records) {
  std::vector<double> means;
  try {
    Solver solver(run);
    if (!solver.can_solve()) return {};
    for (const LevelsRecord* record : records) {
      double sum = 0;
      double weight = 0;
      for (const run::LeadingLevel& level : record->leading) {
        sum += level.probability * solver.solution(level);
        weight += level.probability;
      }
      means.push_back(weight > 0 ? sum / weight : run::kMissing);
    }
  } catch (const std::exception&) {
    return {};  // the environment's files are not installed, or the levels are of another version
  }
  return means;
}

}  // namespace

LevelTimeline level_timeline(const RunData& run, std::size_t max_records) {
  std::vector<const LevelsRecord*> records;
  for (const LevelsRecord& record : run.curriculum) {
    if (!record.leading.empty()) records.push_back(&record);
  }
  records = subsampled(records, max_records);
  LevelTimeline timeline;
  std::unordered_map<std::uint64_t, std::size_t> indices;
  for (const LevelsRecord* record : records) {
    timeline.steps.push_back(static_cast<double>(record->steps));
    std::vector<TimelineCell>& cells = timeline.cells.emplace_back();
    for (const run::LeadingLevel& level : record->leading) {
      const auto [found, is_new] = indices.try_emplace(level.level, timeline.levels.size());
      if (is_new) {
        timeline.levels.push_back(level.data ? fmt::format("edited level {:x}", level.level)
                                             : fmt::format("level {}", level.level));
      }
      cells.push_back({found->second, level.probability});
    }
  }
  timeline.solutions = mean_solutions(run, records);
  return timeline;
}

}  // namespace plr::report

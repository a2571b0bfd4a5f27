#include "plr/report/behavior_versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "plr/base/counted.h"
#include "plr/catalog/short_name.h"
#include "plr/run/behavior_version.h"

namespace plr::report {

std::set<std::int64_t> behavior_versions(const RunData& run) {
  std::set<std::int64_t> versions;
  for (const EvalRecord& evaluation : run.evaluations) {
    versions.insert(evaluation.behavior_version.value_or(run::kUnnamedBehaviorVersion));
  }
  return versions;
}

std::string behavior_versions_text(const RunData& run) {
  return fmt::format("{}", fmt::join(behavior_versions(run), " "));
}

std::string mixed_versions_warning(std::span<const RunData> runs) {
  VersionCounts counts;
  for (const RunData& run : runs) {
    for (const std::int64_t version : behavior_versions(run)) ++counts[run.env()][version];
  }
  return mixed_versions_warning(counts);
}

std::string mixed_versions_warning(const VersionCounts& counts) {
  std::vector<std::string> mixed;
  for (const auto& [env, of_env] : counts) {
    if (of_env.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [version, count] : of_env) {
      parts.push_back(fmt::format("version {}: {}", version, counted(count, "run")));
    }
    mixed.push_back(fmt::format("{} ({})", catalog::short_env_name(env), fmt::join(parts, ", ")));
  }
  if (mixed.empty()) return "";
  return fmt::format("behavior versions are mixed: {}", fmt::join(mixed, "; "));
}

}  // namespace plr::report

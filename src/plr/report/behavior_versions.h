// Behavior versions of runs (run/behavior_version.h): runs with equal settings and seed are equal
// only within one version.
//
// Records of older versions of the program have none; they count as version 1.
//
//   behavior_versions(run)             // {1}, or {1, 2} if version 2 resumed a run of version 1
//   mixed_versions_warning(found.runs)  // "behavior versions are mixed: ..."
//
// Pure functions of their arguments; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "plr/report/run_data.h"

namespace plr::report {

// The versions that evaluated the run; empty if it was not evaluated.
std::set<std::int64_t> behavior_versions(const RunData& run);

// The same as text: "1", or "1 2".
std::string behavior_versions_text(const RunData& run);

// Numbers of runs by environment and version.
using VersionCounts = std::map<std::string, std::map<std::int64_t, std::size_t>>;

// One line that names the environments in which runs of several versions are compared, with the
// number of runs of each; empty if there are none.
std::string mixed_versions_warning(const VersionCounts& counts);
std::string mixed_versions_warning(std::span<const RunData> runs);

}  // namespace plr::report

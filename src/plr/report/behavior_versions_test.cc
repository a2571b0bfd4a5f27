#include "plr/report/behavior_versions.h"

#include <gtest/gtest.h>

#include <optional>

namespace plr::report {
namespace {

using Version = std::optional<std::int64_t>;

RunData run_of(const std::string& env, const std::vector<Version>& versions) {
  RunData run;
  run.settings = {{"env", env}};
  for (const Version& version : versions) {
    run.evaluations.emplace_back().behavior_version = version;
  }
  return run;
}

TEST(BehaviorVersions, CountRecordsWithoutOneAsVersionOne) {
  EXPECT_EQ(behavior_versions_text(run_of("minigrid/X", {{}, {}})), "1");
  EXPECT_EQ(behavior_versions_text(run_of("minigrid/X", {{}, 3, 3})), "1 3");
  EXPECT_EQ(behavior_versions_text(run_of("minigrid/X", {})), "");
}

TEST(BehaviorVersions, WarnInOneLineWhereRunsOfAnEnvironmentDiffer) {
  const std::vector<RunData> runs = {run_of("minigrid/X", {{}}), run_of("minigrid/X", {1}),
                                     run_of("minigrid/X", {2}),  run_of("minigrid/Y", {2}),
                                     run_of("minigrid/Z", {2}),  run_of("minigrid/Z", {1, 2})};
  EXPECT_EQ(mixed_versions_warning(runs),
            "behavior versions are mixed: X (version 1: 2 runs, version 2: 1 run); Z (version 1: 1 "
            "run, version 2: 2 runs)");
}

TEST(BehaviorVersions, DoNotWarnIfEachEnvironmentHasOne) {
  const std::vector<RunData> runs = {run_of("minigrid/X", {{}}), run_of("minigrid/X", {1}),
                                     run_of("minigrid/Y", {2}), run_of("minigrid/X", {})};
  EXPECT_EQ(mixed_versions_warning(runs), "");
}

}  // namespace
}  // namespace plr::report

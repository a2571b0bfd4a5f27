#include "plr/catalog/family.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/catalog/short_name.h"

namespace plr::catalog {
namespace {

TEST(Family, IsFoundByTheNameBeforeTheSlash) {
  EXPECT_EQ(find_family("minigrid/MultiRoom-N4-Random")->name, "minigrid");
  EXPECT_EQ(find_family("procgen/no-such-game")->name, "procgen");
  EXPECT_EQ(find_family("minigrid"), nullptr);
  EXPECT_EQ(find_family("atari/pong"), nullptr);
  EXPECT_EQ(find_family(""), nullptr);
}

TEST(Family, HasANameOfItsOwnAndNamesItsEnvironmentsByIt) {
  std::set<std::string> names;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_FALSE(family.environments.empty()) << family.name;
    for (const EnvInfo& info : family.environments) {
      EXPECT_TRUE(info.name.starts_with(family.name + "/")) << info.name;
    }
  }
}

TEST(Family, DescribesEveryEnvironmentCompletely) {
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    EXPECT_FALSE(family.title.empty());
    ASSERT_FALSE(family.observations.empty());
    EXPECT_NE(family.observations[0], Observation::kDefault);
    EXPECT_GT(family.gpu_share.cores_per_run, 0);
    EXPECT_GT(family.gpu_share.runs_per_gpu, 0);
    ASSERT_NE(family.make, nullptr);
    EXPECT_EQ(family.make(family.name + "/no such task", {}), nullptr);
    std::set<std::string> short_names;
    for (const EnvInfo& info : family.environments) {
      EXPECT_FALSE(info.summary.empty()) << info.name;
      EXPECT_FALSE(family.report_group(info.name).empty()) << info.name;
      EXPECT_TRUE(short_names.insert(family.short_name(info.name)).second) << info.name;
      EXPECT_LE(static_cast<std::size_t>(info.actions.num_choices()), family.action_names.size())
          << info.name;
    }
  }
}

TEST(Family, WithoutFilesIsAlwaysInstalled) {
  EXPECT_TRUE(is_installed(*find_family("minigrid/")));
  Family missing = families()[0];
  missing.files_variable = "PLR_NO_SUCH_VARIABLE";
  EXPECT_FALSE(is_installed(missing));
}

TEST(ShortEnvName, LeavesOutThePartsThatAllNamesOfAFamilyShare) {
  EXPECT_EQ(short_env_name("minigrid/MiniGrid-DoorKey-6x6-v0"), "DoorKey-6x6");
  EXPECT_EQ(short_env_name("minigrid/MultiRoom-N4-Random"), "MultiRoom-N4-Random");
  EXPECT_EQ(short_env_name("procgen/bigfish-hard"), "bigfish-hard");
  EXPECT_EQ(short_env_name("other/task"), "task");
  EXPECT_EQ(short_env_name("task"), "task");
}

}  // namespace
}  // namespace plr::catalog

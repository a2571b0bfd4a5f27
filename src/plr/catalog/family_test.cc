#include "plr/catalog/family.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plr/catalog/check_family.h"
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

TEST(Family, OfThisProjectIsValid) {
  std::set<std::string> names;
  for (const Family& family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_NO_THROW(check_family(family)) << family.name;
    if (family.environments.empty()) continue;  // every name is one of its environments
    EXPECT_EQ(family.make(family.name + "/no such task", {}), nullptr);
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

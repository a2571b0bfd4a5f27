// Every environment of every family in the catalog conforms to vector_env.h and can be drawn.
//
// A family that is added to the catalog is tested here without a test of its own.  Where the files
// of a family are not installed, its tests are skipped.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "plr/catalog/check_env.h"
#include "plr/catalog/family.h"

namespace plr::catalog {
namespace {

// The environments of a family are tested in this many processes: each process that makes one of
// Procgen reads all images of the package, which takes more than a second and 350 MB.
constexpr int kNumParts = 4;

class EveryFamily : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const Family& family() const { return *find_family(std::get<0>(GetParam()) + "/"); }

  std::vector<EnvInfo> environments_of_part() const {
    std::vector<EnvInfo> infos;
    const std::vector<EnvInfo>& all = family().environments;
    for (auto i = static_cast<std::size_t>(std::get<1>(GetParam())); i < all.size();
         i += kNumParts) {
      infos.push_back(all[i]);
    }
    return infos;
  }
};

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::tuple<std::string, int>>& info) {
  return std::get<0>(info.param) + "_part" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryFamily,
                         ::testing::Combine(::testing::ValuesIn(family_names()),
                                            ::testing::Range(0, kNumParts)),
                         test_name);

TEST_P(EveryFamily, Conforms) {
  if (!is_installed(family())) {
    GTEST_SKIP() << family().title << " is not installed: " << family().files_variable
                 << " names no folder";
  }
  for (const EnvInfo& info : environments_of_part()) {
    SCOPED_TRACE(info.name);
    for (const Observation observation : family().observations) {
      EXPECT_EQ(env_violations(info.name, observation), std::vector<std::string>{});
    }
  }
}

}  // namespace
}  // namespace plr::catalog

// Every environment of every family in the catalog conforms to vector_env.h and can be drawn.
//
// A family that is added to the catalog is tested here without a test of its own.  Where the files
// of a family are not installed, its tests are skipped.
#include "plr/env/conformance.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"

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

// A picture is the same function of a slot's state in every slot, and its actions have names.
void expect_can_be_drawn(VectorEnv& env, const Family& family) {
  StepBuffers buffers(env.spec());
  const std::vector<Start> starts = {{0, 5}, {1, 5}};
  env.start(starts, buffers.batch());
  const std::size_t size = env.spec().observation_size();
  const auto frame = [&](int slot) {
    const auto offset = static_cast<std::size_t>(slot) * size;
    return render_frame(env, slot, buffers.batch().observations.subspan(offset, size),
                        {.tile_size = 8});
  };
  EXPECT_GT(frame(0).width(), 0);
  EXPECT_EQ(frame(0), frame(1));
  EXPECT_EQ(render_text(env, 0).has_value(), family.text != nullptr);
  EXPECT_EQ(text_legend(env).symbols.empty(), family.text == nullptr);
  EXPECT_EQ(carried_object(env, 0), "");
}

TEST_P(EveryFamily, Conforms) {
  if (!is_installed(family())) {
    GTEST_SKIP() << family().title << " is not installed: " << family().files_variable
                 << " names no folder";
  }
  for (const EnvInfo& info : environments_of_part()) {
    SCOPED_TRACE(info.name);
    for (const Observation observation : family().observations) {
      const auto make = [&](int num_slots, int num_workers) {
        return make_env(
            info.name,
            {.num_slots = num_slots, .num_workers = num_workers, .observation = observation});
      };
      EXPECT_EQ(conformance_violations(make), std::vector<std::string>{});
    }
    const auto env = make_env(info.name, {.num_slots = 2, .num_workers = 1});
    EXPECT_EQ(env->spec().name, info.name);
    EXPECT_EQ(env->spec().actions, info.actions);
    EXPECT_EQ(env->spec().max_steps, info.max_steps);
    EXPECT_EQ(env->spec().num_difficulties, info.num_difficulties);
    expect_can_be_drawn(*env, family());
  }
}

}  // namespace
}  // namespace plr::catalog

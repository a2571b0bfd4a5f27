// A step allocates no memory, counted by a replaced allocator.
#include <gtest/gtest.h>

#include <vector>

#include "plr/catalog/make_env.h"
#include "tests/support/counting_allocator.h"

namespace plr::catalog {
namespace {

TEST(VectorEnv, StepAllocatesNoMemory) {
  for (const EnvInfo& info : environments()) {
    const Family& family = *find_family(info.name);
    if (family.steps_allocate) continue;
    for (const Observation observation : family.observations) {
      const auto env = make_env(info.name, {.num_slots = 1, .observation = observation});
      StepBuffers buffers(env->spec());
      const Start start = {0, 7};
      env->start({&start, 1}, buffers.batch());
      std::vector<Action> action(info.actions.size());
      Random random = Streams(1).named("actions");
      const std::size_t before = testing::num_allocations();
      while (env->is_running(0)) {
        draw_action(info.actions, random, action);
        env->step({0, 1}, action, buffers.batch());
      }
      EXPECT_EQ(testing::num_allocations() - before, 0U) << info.name;
    }
  }
}

}  // namespace
}  // namespace plr::catalog

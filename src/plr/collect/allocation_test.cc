// Collecting allocates no memory in steady state.
#include <gtest/gtest.h>

#include "plr/collect/collect_testing.h"
#include "plr/collect/collector.h"
#include "plr/core/uniform.h"
#include "tests/support/counting_allocator.h"

namespace plr::collect {
namespace {

TEST(CollectorAllocation, ARolloutAllocatesNothing) {
  for (const int num_workers : {1, 3}) {
    CountdownEnv env(6, num_workers, [](LevelId level) { return 1 + static_cast<int>(level) % 7; });
    Uniform curriculum(LevelSet::range(0, 200), Streams(1).named("levels"), {});
    FakeInference inference(6, 64, true);
    EpisodeScorer scorer({}, 6, 64);
    RewardNormalizer normalizer({}, 6);
    StepTables rollout(64, 6);
    StepLog log({.num_steps = 64, .num_slots = 6});
    Collector collector({env, &curriculum, &scorer, normalizer, inference, log},
                        Streams(1).named("actions"));
    inference.batch_sizes.reserve(100'000);
    collector.begin();
    for (int i = 0; i < 20; ++i) collector.fill(rollout);  // fills the window of recent episodes
    const std::size_t before = testing::num_allocations();
    for (int i = 0; i < 10; ++i) collector.fill(rollout);
    EXPECT_EQ(testing::num_allocations() - before, 0U) << num_workers << " workers";
  }
}

}  // namespace
}  // namespace plr::collect

// The sampler and the scorer do not allocate in steady state: a replaced allocator counts.
#include <gtest/gtest.h>

#include <vector>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_buffer.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "tests/support/counting_allocator.h"

namespace plr {
namespace {

using testing::num_allocations;

std::size_t allocations_of_play(Curriculum& curriculum, int episodes, Random random) {
  const std::size_t before = num_allocations();
  for (int i = 0; i < episodes; ++i) {
    const LevelId level = curriculum.next();
    const double score = random.uniform();
    curriculum.record({.level = level, .score = score, .episode_return = score});
  }
  return num_allocations() - before;
}

TEST(Allocation, CountsAVector) {
  const std::size_t before = num_allocations();
  const std::vector<int> numbers(1000, 1);
  EXPECT_EQ(num_allocations() - before, 1U);
}

TEST(LevelReplay, DoesNotAllocate) {
  const Random random = Streams(1).named("test");
  for (int transform = 0; transform < 6; ++transform) {
    for (const SeenOn seen_on : {SeenOn::kSample, SeenOn::kScore}) {
      LevelReplay replay(LevelSet::range(0, 5'000),
                         {.transform = static_cast<Transform>(transform), .seen_on = seen_on},
                         random);
      EXPECT_EQ(allocations_of_play(replay, 50'000, random), 0U);
    }
  }
}

TEST(LevelReplay, DoesNotAllocateOnceTheBufferOfAStreamIsFull) {
  const Random random = Streams(2).named("test");
  for (const Transform transform : {Transform::kRank, Transform::kProportional}) {
    LevelReplay replay(LevelSet::stream(0, 1ULL << 40),
                       {.transform = transform, .buffer_size = 200}, random);
    allocations_of_play(replay, 1'000, random);
    EXPECT_EQ(replay.num_seen(), 200U);
    EXPECT_EQ(allocations_of_play(replay, 5'000, random), 0U);
  }
}

TEST(Tscl, DoesNotAllocateOnceItsWindowsAreFull) {
  const Random random = Streams(3).named("test");
  for (const TsclPolicy policy : {TsclPolicy::kEpsilonGreedy, TsclPolicy::kBoltzmann}) {
    Tscl tscl(LevelSet::range(0, 100), {.policy = policy}, random);
    for (LevelId level = 0; level < 100; ++level) {
      for (int i = 0; i < 10; ++i) tscl.record({.level = level, .episode_return = double(i)});
    }
    EXPECT_EQ(allocations_of_play(tscl, 5'000, random), 0U);
  }
}

TEST(LevelBuffer, DoesNotAllocate) {
  Random random = Streams(4).named("test");
  for (const Prioritization prioritization : {Prioritization::kRank, Prioritization::kTopk}) {
    LevelBuffer buffer({.capacity = 500, .prioritization = prioritization, .topk = 10});
    const std::size_t before = num_allocations();
    for (LevelId level = 0; level < 2'000; ++level) {
      buffer.insert(level, random.uniform(), 0);
      buffer.update(buffer.draw(random).slot, random.uniform(), 0);
    }
    EXPECT_EQ(num_allocations() - before, 0U);
  }
}

TEST(EpisodeScorer, DoesNotAllocatePerStepOrEpisode) {
  EpisodeScorer scorer({}, 8, 64);
  const std::vector<float> values(8, 0.5F);
  const auto play = [&] {
    for (int t = 0; t < 64; ++t) {
      for (std::size_t slot = 0; slot < 8; ++slot) {
        if (t % 16 == 0) scorer.begin(slot, slot);
        scorer.step(slot, 0.1, 0.2, 0.3);
        if (t % 16 == 15) scorer.end(slot, 1);
      }
      scorer.drain([](const EpisodeResult&) {});
    }
    scorer.end_rollout(values);
  };
  const std::size_t before = num_allocations();
  for (int rollout = 0; rollout < 10; ++rollout) play();
  EXPECT_EQ(num_allocations() - before, 0U);
}

}  // namespace
}  // namespace plr

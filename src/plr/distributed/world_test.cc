// Worlds whose ranks are threads of this process.
#include "plr/distributed/world.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "plr/collect/rank_lost.h"
#include "plr/distributed/ranks_testing.h"

namespace plr::distributed {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
  std::vector<std::byte> result;
  for (const int number : numbers) result.push_back(std::byte(number));
  return result;
}

TEST(World, OneRankNeedsNoOthers) {
  const auto world = World::alone();
  at::Tensor numbers = at::ones({3});
  world->sum(numbers);
  EXPECT_TRUE(at::equal(numbers, at::ones({3})));
  EXPECT_EQ(world->gather(bytes({1, 2})).at(0), bytes({1, 2}));
  EXPECT_EQ(world->broadcast(bytes({7})), bytes({7}));
}

TEST(World, GathersBytesOfDifferentLengthsInTheOrderOfRanks) {
  on_ranks(4, [](const auto& world) {
    const std::vector<std::byte> mine(static_cast<std::size_t>(world->rank()),
                                      std::byte(10 + world->rank()));
    const auto all = world->gather(mine);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0], bytes({}));
    EXPECT_EQ(all[1], bytes({11}));
    EXPECT_EQ(all[3], bytes({13, 13, 13}));
  });
}

TEST(World, BroadcastsTheBytesOfTheFirstRank) {
  on_ranks(2, [](const auto& world) {
    EXPECT_EQ(world->broadcast(world->is_first() ? bytes({4, 2}) : bytes({9})), bytes({4, 2}));
  });
}

// Numbers whose sum depends on the order of additions.
at::Tensor numbers_of(int rank) {
  at::Tensor numbers = at::empty({1000});
  auto* x = numbers.mutable_data_ptr<float>();
  for (int i = 0; i < 1000; ++i) {
    x[i] =
        static_cast<float>((i * 7919 + rank * 104729) % 1000) * (i % 3 == rank % 3 ? 1e6F : 1e-3F);
  }
  return numbers;
}

TEST(World, SumsInABinaryTreeOverRanks) {
  const at::Tensor tree = (numbers_of(0) + numbers_of(1)) + (numbers_of(2) + numbers_of(3));
  const at::Tensor chain = ((numbers_of(0) + numbers_of(1)) + numbers_of(2)) + numbers_of(3);
  ASSERT_FALSE(at::equal(tree, chain)) << "the numbers do not show the order";
  on_ranks(4, [&](const auto& world) {
    at::Tensor mine = numbers_of(world->rank());
    world->sum(mine);
    EXPECT_TRUE(at::equal(mine, tree)) << "rank " << world->rank();
  });
}

TEST(World, OneRankOnAGpuSumsByNccl) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const bool all_reduce : {false, true}) {
    const auto world = World::of_threads(1).front();
    world->use_device(at::Device("cuda:0"), all_reduce);
    EXPECT_EQ(world->transport(), all_reduce ? "NCCL, all-reduce" : "NCCL");
    at::Tensor mine = numbers_of(0).to("cuda");
    world->sum(mine);
    EXPECT_TRUE(at::equal(mine.cpu(), numbers_of(0)));
  }
}

TEST(World, RanksThatShareAGpuSumThroughHostMemory) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const at::Tensor sum = numbers_of(0) + numbers_of(1);
  on_ranks(2, [&](const auto& world) {
    world->use_device(at::Device("cuda:0"), false);
    EXPECT_EQ(world->transport(), "Gloo, through host memory");
    at::Tensor mine = numbers_of(world->rank()).to("cuda");
    world->sum(mine);
    EXPECT_TRUE(at::equal(mine.cpu(), sum));
  });
}

TEST(World, ARankThatEndsIsNoticedByTheOthers) {
  auto worlds = World::of_threads(2);
  worlds[1].reset();
  EXPECT_THROW(worlds[0]->barrier(), collect::RankLost);
}

}  // namespace
}  // namespace plr::distributed

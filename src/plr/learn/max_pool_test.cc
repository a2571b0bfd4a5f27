#include "plr/learn/max_pool.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

namespace plr {
namespace {

// Few distinct numbers, so that many windows have equals.
at::Tensor images(std::int64_t height, std::int64_t width, bool has_grad) {
  at::manual_seed(1);
  at::Tensor x = at::randint(-3, 4, {5, 16, height, width}).to(at::kFloat);
  return x.contiguous(at::MemoryFormat::ChannelsLast).set_requires_grad(has_grad);
}

TEST(MaxPool, EqualsLibtorchsForwardsAndBackwards) {
  for (const auto& [height, width] : {std::pair{13, 13}, {6, 8}, {7, 2}}) {
    const at::Tensor a = images(height, width, true);
    const at::Tensor b = images(height, width, true);
    const at::Tensor ours = max_pool_2x2(a);
    const at::Tensor theirs = at::max_pool2d(b, {2, 2});
    EXPECT_TRUE(at::equal(ours, theirs));
    const at::Tensor weights = at::randn(ours.sizes());
    (ours * weights).sum().backward();
    (theirs * weights).sum().backward();
    EXPECT_TRUE(at::equal(a.grad(), b.grad()));
  }
}

TEST(MaxPool, EqualsLibtorchsWithoutGradients) {
  const at::Tensor x = images(13, 13, false);
  EXPECT_TRUE(at::equal(max_pool_2x2(x), at::max_pool2d(x, {2, 2})));
}

TEST(MaxPool, LetsNoNanPassUnseen) {
  for (const int cell : {0, 1, 2, 3}) {
    at::Tensor x = at::zeros({1, 1, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);
    x.view({4})[cell] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(max_pool_2x2(x).isnan().item<bool>());
  }
}

}  // namespace
}  // namespace plr

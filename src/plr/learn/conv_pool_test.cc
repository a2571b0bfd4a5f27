#include "plr/learn/conv_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace plr::learn {
namespace {

Layer layer_of(const at::Tensor& weight, const at::Tensor& bias) {
  Layer layer;
  layer.weight = weight.clone().set_requires_grad(true);
  layer.bias = bias.clone().set_requires_grad(true);
  return layer;
}

at::Tensor by_libtorch(const at::Tensor& images, const Layer& layer) {
  return at::max_pool2d(at::conv2d(images, layer.weight, layer.bias), {2, 2}).relu();
}

at::Tensor channels_last(const at::Tensor& x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

// Integers: every sum is exact in any order, so that equal cells stay equal.
struct WholeNumbers {
  explicit WholeNumbers(std::int64_t batch, std::int64_t height, std::int64_t width) {
    at::manual_seed(1);
    images = channels_last(at::randint(0, 4, {batch, 3, height, width}).to(at::kFloat));
    weight = channels_last(at::randint(-2, 3, {16, 3, 2, 2}).to(at::kFloat));
    bias = at::randint(-2, 3, {16}).to(at::kFloat);
  }
  at::Tensor images, weight, bias;
};

TEST(ConvPool, ForwardAndBackwardEqualLibtorchsLayers) {
  for (const auto& [batch, height, width] :
       {std::array{5, 14, 14}, {70, 7, 9}, {33, 8, 7}, {1, 3, 3}}) {
    const WholeNumbers x(batch, height, width);
    const Layer a = layer_of(x.weight, x.bias);
    const Layer b = layer_of(x.weight, x.bias);
    const at::Tensor ours = conv_pool_relu(x.images, a);
    const at::Tensor theirs = by_libtorch(x.images, b);
    EXPECT_TRUE(at::equal(ours, theirs));
    const at::Tensor factors = at::randint(-3, 4, ours.sizes()).to(at::kFloat);
    (ours * factors).sum().backward();
    (theirs * factors).sum().backward();
    EXPECT_TRUE(at::equal(a.weight.grad(), b.weight.grad()));
    EXPECT_TRUE(at::equal(a.bias.grad(), b.bias.grad()));
  }
}

TEST(ConvPool, EqualsLibtorchsLayersWithoutGradients) {
  const WholeNumbers x(5, 14, 14);
  const Layer layer = layer_of(x.weight, x.bias);
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(at::equal(conv_pool_relu(x.images, layer), by_libtorch(x.images, layer)));
}

TEST(ConvPool, SupportsAGradientOfTheImages) {
  const WholeNumbers x(2, 6, 6);
  const Layer layer = layer_of(x.weight, x.bias);
  const at::Tensor images = x.images.clone().set_requires_grad(true);
  conv_pool_relu(images, layer).sum().backward();
  EXPECT_TRUE(images.grad().defined());
}

TEST(ConvPool, SupportsAnyNumberOfChannels) {
  const Layer layer = layer_of(at::ones({8, 5, 2, 2}), at::zeros({8}));
  // A sum of twenty ones.
  const at::Tensor out = conv_pool_relu(channels_last(at::ones({1, 5, 3, 3})), layer);
  EXPECT_TRUE(at::equal(out, at::full({1, 8, 1, 1}, 20.0)));
}

TEST(ConvPool, GivesTheSameBitsWithAnyNumberOfThreads) {
  at::manual_seed(2);
  const at::Tensor images = channels_last(at::randn({100, 3, 14, 14}));
  const at::Tensor weight = channels_last(at::randn({16, 3, 2, 2}));
  std::vector<at::Tensor> grads;
  const int before = at::get_num_threads();
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const Layer layer = layer_of(weight, at::zeros({16}));
    conv_pool_relu(images, layer).sum().backward();
    grads.push_back(layer.weight.grad());
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(grads[0], grads[1]));
  EXPECT_TRUE(at::equal(grads[0], grads[2]));
}

TEST(ConvPool, PropagatesNan) {
  const Layer layer = layer_of(at::ones({16, 3, 2, 2}), at::zeros({16}));
  for (const int cell : {0, 2, 6, 8}) {  // the corners, each of which occurs at one tap only
    at::Tensor images = channels_last(at::ones({1, 3, 3, 3}));
    images[0][0].view({9})[cell] = std::numeric_limits<float>::quiet_NaN();
    const at::NoGradGuard no_grad;
    EXPECT_TRUE(conv_pool_relu(images, layer).isnan().all().item<bool>()) << cell;
  }
}

}  // namespace
}  // namespace plr::learn

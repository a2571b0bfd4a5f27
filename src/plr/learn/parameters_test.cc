#include "plr/learn/parameters.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace plr::learn {
namespace {

Parameters small() {
  return Parameters({{"conv.w", {2, 3, 2, 2}, Init::kXavierUniform, 1},
                     {"conv.b", {2}, Init::kZero, 1},
                     {"head.w", {3, 5}, Init::kOrthogonal, 1}},
                    Streams(1).named("init"), at::kCPU);
}

bool inside(const at::Tensor& view, const at::Tensor& flat) {
  return view.storage().data() == flat.storage().data();
}

TEST(Parameters, AreViewsOfOneBufferAndTheirGradientsOfAnother) {
  const Parameters parameters = small();
  for (const char* name : {"conv.w", "conv.b", "head.w"}) {
    EXPECT_TRUE(inside(parameters[name], parameters.values())) << name;
    EXPECT_TRUE(inside(parameters[name].grad(), parameters.grads())) << name;
  }
  parameters.values().fill_(2);
  EXPECT_EQ(parameters["head.w"][1][1].item<float>(), 2);
}

TEST(Parameters, BackwardAddsToTheFlatGradients) {
  const Parameters parameters = small();
  for (int pass = 0; pass < 2; ++pass) {
    ((parameters["head.w"] * 3).sum() + parameters["conv.w"].sum()).backward();
  }
  // Twice 3 for each of 15 weights, twice 1 for each of 24, nothing for the padding and the bias.
  EXPECT_EQ(parameters.grads().sum().item<float>(), 2 * 3 * 15 + 2 * 24);
  EXPECT_TRUE(inside(parameters["head.w"].grad(), parameters.grads()));
  EXPECT_EQ(parameters["conv.b"].grad().abs().sum().item<float>(), 0);
}

TEST(Parameters, ConvolutionsAreStoredChannelsLastAndKeepTheirShape) {
  const Parameters parameters = small();
  EXPECT_EQ(parameters["conv.w"].sizes(), at::IntArrayRef({2, 3, 2, 2}));
  EXPECT_TRUE(parameters["conv.w"].is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(parameters["conv.w"].grad().strides(), parameters["conv.w"].strides());
}

TEST(Parameters, CountExcludesThePadding) {
  const Parameters parameters = small();
  EXPECT_EQ(parameters.count(), 24 + 2 + 15);
  EXPECT_EQ(parameters.values().numel(), 32 + 16 + 16);
}

TEST(Parameters, RefusesAnUnknownName) { EXPECT_THROW(small()["tail.w"], std::out_of_range); }

TEST(CopyByName, CopiesElementsInOrderForAnyMemoryFormat) {
  const Parameters parameters = small();
  std::vector<NamedTensor> from = {
      {"head.w", at::arange(15)}, {"conv.b", at::zeros({2})}, {"conv.w", at::arange(24)}};
  copy_by_name(from, parameters.views(parameters.values()));
  EXPECT_EQ(parameters["head.w"][1][2].item<float>(), 7);
  EXPECT_EQ(parameters["conv.w"][1][2][0][1].item<float>(), 12 + 8 + 1);
}

TEST(CopyByName, RefusesMissingUnknownAndMisshapenTensorsAndCopiesNothing) {
  const Parameters parameters = small();
  const at::Tensor before = parameters.values().clone();
  const std::vector<NamedTensor> into = parameters.views(parameters.values());
  std::vector<NamedTensor> from = {{"head.w", at::ones({15})}, {"conv.b", at::ones({2})}};
  EXPECT_THROW(copy_by_name(from, into), std::runtime_error);
  from.push_back({"conv.w", at::ones({23})});
  EXPECT_THROW(copy_by_name(from, into), std::runtime_error);
  from.back().tensor = at::ones({24});
  from.push_back({"tail.w", at::ones({1})});
  EXPECT_THROW(copy_by_name(from, into), std::runtime_error);
  EXPECT_TRUE(at::equal(parameters.values(), before));
}

}  // namespace
}  // namespace plr::learn

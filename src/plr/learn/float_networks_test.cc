// Networks for vectors and images of any size: MLP, CNN, and the LSTM on floats; normalization of
// observations.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "plr/learn/action_distribution.h"
#include "plr/learn/cnn_network.h"
#include "plr/learn/kernel_choice.h"
#include "plr/learn/lstm_network.h"
#include "plr/learn/mlp_network.h"
#include "tests/support/error_message.h"

namespace plr::learn {
namespace {

const NetworkShape kVector{
    .height = 1, .width = 1, .channels = 4, .actions = 2, .obs_type = ElementType::kFloat};
const NetworkShape kPendulum{.height = 1,
                             .width = 1,
                             .channels = 3,
                             .actions = ActionSpace::continuous({-2}, {2}),
                             .obs_type = ElementType::kFloat};

Network mlp(const NetworkShape& shape, const MlpConfig& config = {}) {
  return make_mlp_network(shape, config, Streams(1).named("init"), at::kCPU);
}
Network cnn(const NetworkShape& shape, const CnnConfig& config = {}) {
  return make_cnn_network(shape, config, Streams(1).named("init"), Precision::kFp32, at::kCPU);
}

at::Tensor vectors(std::int64_t count, std::int64_t size) {
  return at::linspace(-1, 1, count * size).view({count, 1, 1, size});
}

at::Tensor apply(const Network& network, const std::string& layer, const at::Tensor& x) {
  return at::linear(x, network.parameters()[layer + ".w"], network.parameters()[layer + ".b"]);
}

TEST(MlpNetwork, ComputesTwoSeparateStacksOfTanhLayers) {
  const at::NoGradGuard no_grad;
  const Network network = mlp(kVector);
  // policy 4*64+64 + 64*64+64 + 64*2+2, value the same with one output.
  EXPECT_EQ(network.parameters().count(), 2 * (4 * 64 + 64 + 64 * 64 + 64) + 64 * 3 + 3);
  const at::Tensor x = vectors(5, 4);
  const auto stack = [&](const std::string& name) {
    const at::Tensor first = apply(network, name + "1", x.view({5, 4})).tanh();
    return apply(network, name + "2", first).tanh();
  };
  const Output output = network.forward(x);
  EXPECT_TRUE(output.logits.allclose(apply(network, "policy", stack("policy_hidden")), 1e-6, 1e-7));
  EXPECT_TRUE(
      output.value.allclose(apply(network, "value", stack("value_hidden")).squeeze(1), 1e-6, 1e-7));
}

TEST(MlpNetwork, SharesItsTrunkAndChangesItsSizesAndActivation) {
  const at::NoGradGuard no_grad;
  const Network network =
      mlp(kVector, {.hidden_sizes = "32", .activation = Activation::kRelu, .shared_trunk = true});
  EXPECT_EQ(network.parameters().count(), 4 * 32 + 32 + 32 * 3 + 3);
  const at::Tensor x = vectors(3, 4);
  const at::Tensor hidden = apply(network, "hidden1", x.view({3, 4})).relu();
  EXPECT_TRUE(network.forward(x).logits.allclose(apply(network, "policy", hidden), 1e-6, 1e-7));
}

TEST(MlpNetwork, HasALogDeviationPerFloatThatDoesNotDependOnTheObservation) {
  const Network network = mlp(kPendulum);
  const at::Tensor outputs = network.forward(vectors(6, 3)).logits;
  ASSERT_EQ(outputs.size(1), 2);
  EXPECT_TRUE(outputs.select(1, 1).equal(at::zeros(6)));
  outputs.select(1, 1).sum().backward();
  EXPECT_EQ(network.parameters()["log_std"].grad().item<double>(), 6);
}

TEST(MlpNetwork, RefusesSizesThatAreNoNumbers) {
  for (const auto& [sizes, message] : std::vector<std::pair<std::string, std::string>>{
           {"64,0", "hidden_sizes must be from 1 to 65536, not 0"},
           {"64,,64", "hidden_sizes must be a whole number, not nothing"},
           {"wide", "hidden_sizes must be a whole number, not wide"}}) {
    EXPECT_EQ(message_of<std::invalid_argument>([&] { mlp(kVector, {.hidden_sizes = sizes}); }),
              message);
  }
}

TEST(CnnNetwork, TakesImagesOfAnySizeAndNumberOfChannels) {
  const at::NoGradGuard no_grad;
  const NetworkShape small{.height = 10, .width = 13, .channels = 5, .actions = 4};
  const CnnConfig config{.conv_layers = "8x3/2,6x2/1", .cnn_units = 20};
  const Network network = cnn(small, config);
  // 10x13 -> 4x6 -> 3x5.
  EXPECT_EQ(network.parameters()["hidden.w"].sizes(), (at::IntArrayRef{20, 6, 3, 5}));
  const at::Tensor bytes = at::arange(2 * 10 * 13 * 5).remainder(256).to(at::kByte);
  const at::Tensor obs = bytes.view({2, 10, 13, 5});
  const Parameters& p = network.parameters();
  at::Tensor x = obs.to(at::kFloat).permute({0, 3, 1, 2}) / 255;
  x = at::conv2d(x, p["conv1.w"], p["conv1.b"], 2).relu();
  x = at::conv2d(x, p["conv2.w"], p["conv2.b"], 1).relu();
  x = at::linear(x.flatten(1), p["hidden.w"].flatten(1), p["hidden.b"]).relu();
  EXPECT_TRUE(network.forward(obs).logits.allclose(apply(network, "policy", x), 1e-4, 1e-6));

  NetworkShape floats = small;
  floats.obs_type = ElementType::kFloat;
  const at::Tensor same = cnn(floats, config).forward(obs.to(at::kFloat) / 255).logits;
  EXPECT_TRUE(same.allclose(network.forward(obs).logits, 1e-4, 1e-6));
}

TEST(CnnNetwork, RefusesLayersThatDoNotFit) {
  const NetworkShape small{.height = 10, .width = 13, .channels = 5, .actions = 4};
  EXPECT_EQ(message_of<std::invalid_argument>([&] { cnn(small); }),
            "conv_layers must fit into images of 10x13, not '32x8/4,64x4/2,64x3/1': the input "
            "of layer 2 is 1x2; smaller images need smaller layers, such as 16x3/1,32x3/2");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { cnn(small, {.conv_layers = "8x3"}); }),
            "conv_layers must be a list of FILTERSxKERNEL/STRIDE such as 32x8/4,64x4/2, not '8x3'");
  EXPECT_THROW(cnn(small, {.conv_layers = "8x3/0"}), std::invalid_argument);
}

TEST(LstmNetwork, TakesVectorsThroughAnEncoder) {
  const at::NoGradGuard no_grad;
  const Network network = make_lstm_network(kPendulum, {.lstm_units = 16, .encoder_sizes = "8,12"},
                                            Streams(1).named("init"), Precision::kFp32, at::kCPU);
  EXPECT_EQ(network.parameters()["lstm_input.w"].sizes(), (at::IntArrayRef{64, 12}));
  const at::Tensor obs = vectors(6, 3);
  const Recurrence both{.state = at::zeros({2, 32}), .resets = at::zeros({3, 2})};
  const Output whole = network.forward(obs, both);
  EXPECT_EQ(whole.logits.sizes(), (at::IntArrayRef{6, 2}));
  // The same steps one after the other.
  at::Tensor state = both.state;
  for (std::int64_t step = 0; step < 3; ++step) {
    const Output one =
        network.forward(obs.narrow(0, 2 * step, 2), {.state = state, .resets = at::zeros({1, 2})});
    EXPECT_TRUE(one.logits.allclose(whole.logits.narrow(0, 2 * step, 2), 1e-5, 1e-6));
    state = one.state;
  }
}

TEST(KernelChoice, LeavesFloatsWideActionsAndNormalizedObservationsToLibtorch) {
  Network bytes = cnn({.height = 40, .width = 40, .channels = 3, .actions = 4});
  EXPECT_TRUE(has_native_interface(bytes));
  bytes.normalize_observations({});
  EXPECT_FALSE(has_native_interface(bytes));
  EXPECT_FALSE(has_native_interface(mlp(kVector)));
  EXPECT_FALSE(has_native_interface(cnn(
      {.height = 40, .width = 40, .channels = 3, .actions = ActionSpace::multi_discrete({2, 2})})));
}

// ---- Normalization of observations -------------------------------------------------------------

TEST(ObsNormalizer, HasTheMomentsOfAllObservations) {
  ObsNormalizer normalizer({.clip = 1.5}, {1, 1, 3}, at::kCPU);
  const at::Tensor all = at::linspace(-4, 9, 60).square().view({20, 1, 1, 3});
  EXPECT_TRUE(normalizer.apply(all).equal((all / std::sqrt(1 + 1e-8)).clamp(-1.5, 1.5)));
  normalizer.add(ObsNormalizer::moments(all.narrow(0, 0, 7)), 7);
  normalizer.add(ObsNormalizer::moments(all.narrow(0, 7, 13)), 13);
  const auto state = normalizer.state();
  EXPECT_TRUE(state[0].tensor.allclose(all.mean(0), 1e-5));
  EXPECT_TRUE(state[1].tensor.allclose((all - all.mean(0)).square().mean(0), 1e-5));
  EXPECT_EQ(state[2].tensor.item<double>(), 20);
  const at::Tensor expected = (all - all.mean(0)) / (all - all.mean(0)).square().mean(0).sqrt();
  EXPECT_TRUE(normalizer.apply(all).allclose(expected.clamp(-1.5, 1.5), 1e-4, 1e-5));
}

TEST(ObsNormalizer, IsPartOfTheNetworksStateAndInputs) {
  const at::NoGradGuard no_grad;
  Network network = mlp(kVector);
  const Network plain = mlp(kVector);
  const at::Tensor obs = 100 + 7 * vectors(50, 4);
  network.normalize_observations({});
  EXPECT_EQ(network.state().size(), plain.state().size() + 3);
  network.normalizer().add(ObsNormalizer::moments(obs), obs.size(0));
  const at::Tensor normalized = (obs - obs.mean(0)) / (obs - obs.mean(0)).square().mean(0).sqrt();
  EXPECT_TRUE(network.forward(obs).logits.allclose(plain.forward(normalized).logits, 1e-3, 1e-5));
}

}  // namespace
}  // namespace plr::learn

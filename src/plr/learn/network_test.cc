#include "plr/learn/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "plr/learn/golden_network_testing.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"

namespace plr::learn {
namespace {

using testing::as_tensor;
using testing::devices;
using testing::distance;
using testing::golden_network;
using testing::golden_records;
using testing::GoldenTensors;

const NetworkShape kMultiRoom{14, 14, 3, 7};
const NetworkShape kProcgen{64, 64, 3, 15};

Random init_stream() { return Streams(7).named("init"); }

Network grid_cnn(const NetworkShape& shape, const GridCnnConfig& config = {}) {
  return make_grid_cnn_network(shape, config, init_stream(), Precision::kFp32, at::kCPU);
}

Network impala(const ImpalaConfig& config = {}) {
  return make_impala_network(kProcgen, config, init_stream(), Precision::kFp32, at::kCPU);
}

at::Tensor random_obs(const NetworkShape& shape, std::int64_t batch, std::uint64_t bound) {
  Random random = Streams(3).named("obs");
  at::Tensor obs = at::empty({batch, shape.height, shape.width, shape.channels}, at::kByte);
  for (std::int64_t i = 0; i < obs.numel(); ++i) {
    obs.data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.below(bound));
  }
  return obs;
}

void expect_recorded_outputs(const std::string& name, const std::string& variant, bool relu_skip,
                             const std::string& device) {
  SCOPED_TRACE(name + variant + " on " + device);
  const GoldenTensors record(name);
  const Network network = golden_network(record, relu_skip, device);
  const at::Tensor obs = as_tensor(record.bytes("obs"), at::kByte).permute({0, 2, 3, 1});
  const Output output = network.forward(obs);
  EXPECT_LT(distance(output.logits, record.floats("logits" + variant)), 1e-5);
  EXPECT_LT(distance(at::log_softmax(output.logits, 1), record.floats("logp" + variant)), 1e-5);
  EXPECT_LT(distance(output.value, record.floats("values" + variant)), 1e-5);
  EXPECT_EQ(network.parameters().count(), record.settings().at("params"));
}

TEST(NetworkGolden, EveryNetworkGivesItsRecordedOutputs) {
  int num_minigrid = 0;
  int num_procgen = 0;
  for (const std::string& device : devices()) {
    for (const std::string& name : golden_records("nets")) {
      if (name.starts_with("nets/minigrid")) {
        ++num_minigrid;
        expect_recorded_outputs(name, "", false, device);
      } else {
        ++num_procgen;
        expect_recorded_outputs(name, "/relu_skip", true, device);
        expect_recorded_outputs(name, "/skip_x", false, device);
      }
    }
  }
  EXPECT_GE(num_minigrid, 2);
  EXPECT_GE(num_procgen, 1);
}

TEST(GridCnn, HasThePapersNumbersOfParameters) {
  EXPECT_EQ(grid_cnn(kMultiRoom).parameters().count(), 72'600);
  EXPECT_EQ(grid_cnn({19, 19, 3, 7}, {.channels = 64}).parameters().count(), 412'600);
}

TEST(GridCnn, ASharedHiddenLayerSavesOneLayer) {
  // 512 inputs and a bias to each of 64 units.
  EXPECT_EQ(grid_cnn(kMultiRoom, {.shared_hidden = true}).parameters().count(), 72'600 - 513 * 64);
}

TEST(GridCnn, WithoutThePoolTheHiddenLayersHaveElevenByElevenInputs) {
  const Network network = grid_cnn(kMultiRoom, {.pool = false});
  EXPECT_EQ(network.parameters()["actor_hidden.w"].sizes(), at::IntArrayRef({64, 32, 11, 11}));
  EXPECT_EQ(network.forward(random_obs(kMultiRoom, 2, 11)).value.sizes(), at::IntArrayRef({2}));
}

TEST(GridCnn, AcceptsGridsOfAtLeastSevenBySeven) {
  const NetworkShape smallest{7, 9, 4, 3};
  const Output output = grid_cnn(smallest).forward(random_obs(smallest, 5, 11));
  EXPECT_EQ(output.logits.sizes(), at::IntArrayRef({5, 3}));
  EXPECT_THROW(grid_cnn({6, 9, 3, 7}), std::invalid_argument);
}

TEST(ImpalaNetwork, HasThePapersNumberOfParameters) {
  EXPECT_EQ(impala().parameters().count(), 626'256);
}

TEST(Network, InitialPolicyIsAlmostUniform) {
  // The policy's rows have length 0.01 and tanh units are below 1 in size, so a logit is at most
  // 0.01 * sqrt(64) = 0.08.
  const Output output = grid_cnn(kMultiRoom).forward(random_obs(kMultiRoom, 64, 11));
  EXPECT_LE(output.logits.abs().max().item<double>(), 0.08);
}

TEST(Network, OrthogonalLayersHaveTheirGain) {
  const Network network = impala();
  const auto gram_error = [&](const char* name, double gain) {
    const at::Tensor w = network.parameters()[name].detach().to(at::kDouble).flatten(1);
    return (w.matmul(w.t()) / (gain * gain) - at::eye(w.size(0), at::kDouble))
        .abs()
        .max()
        .item<double>();
  };
  EXPECT_LT(gram_error("hidden.w", std::sqrt(2.0)), 1e-6);
  EXPECT_LT(gram_error("policy.w", 0.01), 1e-6);
  EXPECT_LT(gram_error("value.w", 1), 1e-6);
}

TEST(Network, InitialConvolutionsFillXaviersBound) {
  const Network network = impala();
  // 3x3 kernels over 16 channels to 32: sqrt(6 / (9 * 16 + 9 * 32)); of 4608 uniform numbers the
  // largest is below 0.99 of the bound with probability 0.99^4608 = 1e-20.
  const double bound = std::sqrt(6.0 / (9 * 16 + 9 * 32));
  const double largest = network.parameters()["stage2.conv.w"].abs().max().item<double>();
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.99 * bound);
  EXPECT_EQ(network.parameters()["stage2.conv.b"].abs().max().item<double>(), 0);
}

TEST(Network, FloatsGiveTheOutputsOfBytes) {
  const Network network = impala();
  const at::Tensor obs = random_obs(kProcgen, 2, 256);
  EXPECT_TRUE(at::equal(network.forward(obs).logits, network.forward(obs.to(at::kFloat)).logits));
}

TEST(Network, ViewOfObsDoesNotCopy) {
  constexpr std::size_t kCells = 14UL * 14 * 3;
  std::vector<std::uint8_t> bytes(2 * kCells, 5);
  const at::Tensor view = view_of_obs(bytes, kMultiRoom);
  EXPECT_EQ(view.sizes(), at::IntArrayRef({2, 14, 14, 3}));
  bytes[kCells] = 9;
  EXPECT_EQ(view[1][0][0][0].item<int>(), 9);
}

TEST(Network, RefusesObservationsOfAnotherShape) {
  const Network network = grid_cnn(kMultiRoom);
  EXPECT_THROW(network.forward(random_obs({13, 14, 3, 7}, 2, 11)), std::invalid_argument);
}

TEST(Network, TheSameSeedGivesTheSameWeightsAndAnotherSeedOthers) {
  const auto weights = [](std::uint64_t seed) {
    const Random init = Streams(seed).named("init");
    return make_grid_cnn_network(kMultiRoom, {}, init, Precision::kFp32, at::kCPU)
        .parameters()
        .values();
  };
  EXPECT_TRUE(at::equal(weights(1), weights(1)));
  EXPECT_FALSE(at::equal(weights(1), weights(2)));
}

}  // namespace
}  // namespace plr::learn

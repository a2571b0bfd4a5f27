// Inference by native kernels against libtorch's.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "plr/learn/backend.h"
#include "plr/learn/cuda_backend.h"
#include "plr/learn/device_testing.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_testing.h"
#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_network.h"
#include "plr/learn/policy.h"

namespace plr::learn {
namespace {

using testing::impala;
using testing::random_bytes;

struct Decided {
  explicit Decided(std::size_t batch)
      : actions(batch), log_probs(batch), values(batch), terms(batch) {}
  std::vector<std::int32_t> actions;
  std::vector<float> log_probs, values, terms;
};

void set_observations(Policy& policy, const at::Tensor& obs) {
  const at::Tensor bytes = obs.cpu().contiguous();
  std::copy_n(bytes.const_data_ptr<std::uint8_t>(), bytes.numel(), policy.observations().data());
}

Decided decide(Backend& backend, const PolicyConfig& config, const at::Tensor& obs) {
  const auto batch = static_cast<std::size_t>(obs.size(0));
  Policy policy(backend, config, batch);
  Random random = Streams(4).named("actions");
  std::vector<double> uniforms(batch);
  for (double& u : uniforms) u = random.uniform();
  Decided out(batch);
  set_observations(policy, obs);
  policy.act(uniforms, {out.actions, out.log_probs, out.values, out.terms});
  return out;
}

// Larger heads than at the start of training, so that policies are not uniform and values differ.
Network grid_cnn(const NetworkShape& shape, const GridCnnConfig& config, at::Device device) {
  Network network =
      make_grid_cnn_network(shape, config, Streams(7).named("init"), Precision::kFp32, device);
  const at::NoGradGuard no_grad;
  network.parameters()["policy.w"].detach().mul_(100);
  for (const char* name : {"conv1.b", "conv2.b", "conv3.b", "policy.b", "value.b"}) {
    const at::Tensor bias = network.parameters()[name].detach();
    bias.copy_(at::linspace(-0.2, 0.3, bias.numel()));
  }
  return network;
}

void expect_equal_decisions(const Decided& ours, const Decided& theirs, double tolerance) {
  for (std::size_t i = 0; i < ours.actions.size(); ++i) {
    EXPECT_EQ(ours.actions[i], theirs.actions[i]) << i;
    EXPECT_NEAR(ours.log_probs[i], theirs.log_probs[i], tolerance) << i;
    EXPECT_NEAR(ours.values[i], theirs.values[i], tolerance * (1 + std::abs(theirs.values[i])))
        << i;
    EXPECT_NEAR(ours.terms[i], theirs.terms[i], tolerance) << i;
  }
}

TEST(CudaInferenceOnCpu, HasNoKernels) {
  EXPECT_EQ(make_native_inference(grid_cnn({14, 14, 3, 7}, {}, at::kCPU)), nullptr);
}

class GridCnnInference : public testing::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    if (!runs_native_kernels(device_)) GTEST_SKIP() << "no native kernels for this GPU";
  }

  std::unique_ptr<Backend> native(const NetworkShape& shape, const GridCnnConfig& config) const {
    std::unique_ptr<Backend> backend = make_backend(grid_cnn(shape, config, device_));
    EXPECT_NE(make_native_inference(backend->network()), nullptr);
    return backend;
  }
  std::unique_ptr<Backend> torch(const NetworkShape& shape, const GridCnnConfig& config) const {
    return make_backend(grid_cnn(shape, config, device_), Kernels::kLibtorch);
  }
};

TEST_F(GridCnnInference, DecidesAsLibtorchDoes) {
  struct Case {
    NetworkShape shape;
    GridCnnConfig config;
  };
  for (const Case& c : {Case{{14, 14, 3, 7}, {}},
                        {{19, 19, 3, 7}, {.channels = 64}},
                        {{7, 9, 3, 3}, {}},
                        {{25, 25, 3, 7}, {.channels = 64}},
                        {{6, 6, 3, 7}, {.pool = false}},
                        {{25, 25, 3, 7}, {.pool = false}},
                        {{12, 15, 3, 7}, {.channels = 64, .pool = false, .shared_hidden = true}}}) {
    const std::unique_ptr<Backend> ours = native(c.shape, c.config);
    const std::unique_ptr<Backend> libtorchs = torch(c.shape, c.config);
    for (const std::int64_t batch : {64, 1, 13, 40, 150}) {
      for (const ScoreFunction term :
           {ScoreFunction::kValueL1, ScoreFunction::kPolicyEntropy, ScoreFunction::kLeastConfidence,
            ScoreFunction::kMinMargin}) {
        for (const bool greedy : {false, true}) {
          const PolicyConfig config{.score_function = term, .greedy = greedy};
          const at::Tensor obs = random_bytes(c.shape, batch, 11);
          expect_equal_decisions(decide(*ours, config, obs), decide(*libtorchs, config, obs), 2e-5);
        }
      }
    }
  }
}

TEST_F(GridCnnInference, IsDeterministic) {
  const NetworkShape shape{19, 19, 3, 7};
  const std::unique_ptr<Backend> backend = native(shape, {.channels = 64});
  const at::Tensor obs = random_bytes(shape, 64, 11);
  const Decided first = decide(*backend, {}, obs);
  for (int i = 0; i < 300; ++i) {
    const Decided again = decide(*backend, {}, obs);
    ASSERT_EQ(again.values, first.values);
    ASSERT_EQ(again.log_probs, first.log_probs);
  }
}

TEST_F(GridCnnInference, UsesChangedWeights) {
  const NetworkShape shape{14, 14, 3, 7};
  const std::unique_ptr<Backend> ours = native(shape, {});
  const std::unique_ptr<Backend> libtorchs = torch(shape, {});
  const at::Tensor obs = random_bytes(shape, 8, 11);
  decide(*ours, {}, obs);
  for (Backend* backend : {ours.get(), libtorchs.get()}) {
    backend->network().parameters().values().mul_(1.1);
  }
  expect_equal_decisions(decide(*ours, {}, obs), decide(*libtorchs, {}, obs), 2e-5);
}

// The kernels for Hopper keep activations as pairs of fp16 numbers, at most 65504 * 256.
TEST_F(GridCnnInference, LargerActivationsSaturate) {
  const NetworkShape shape{14, 14, 3, 7};
  const std::unique_ptr<Backend> backend = native(shape, {});
  if (choose_kernels(backend->network(), Kernels::kNative).inference.kind != KernelKind::kHopper) {
    GTEST_SKIP() << "the other kernels compute in fp32";
  }
  const at::Tensor obs = random_bytes(shape, 8, 11);
  Parameters& parameters = backend->network().parameters();
  parameters["conv1.w"].detach().zero_();  // the first layer's activations are its biases
  const auto values_with_bias = [&](double bias) {
    parameters["conv1.b"].detach().fill_(bias);
    return decide(*backend, {}, obs).values;
  };
  const std::vector<float> largest = values_with_bias(65504.0 * 256);
  EXPECT_NE(largest, values_with_bias(65504.0 * 128));
  for (const double larger : {1e8, 1e30}) EXPECT_EQ(values_with_bias(larger), largest);
}

// Submits random batches of random slots in all lanes, until every slot has had `num_steps`
// observations; compares each result with that of a batch of all slots, and the history with the
// observations.
void expect_same_bits_in_any_batch(Backend& backend) {
  constexpr std::size_t kSlots = 40;
  constexpr int kSteps = 6;
  const NetworkShape& shape = backend.network().shape();
  const at::Tensor history =
      at::zeros({kSteps, kSlots, shape.height, shape.width, shape.channels},
                at::TensorOptions(backend.network().device()).dtype(at::kByte));
  const auto inference = backend.make_inference({}, kSlots, {.obs = history});
  ASSERT_TRUE(inference->takes_any_batch());
  inference->refresh();
  const std::size_t size = inference->observations().size() / kSlots;
  const at::Tensor obs = random_bytes(shape, kSteps * kSlots, 11)
                             .view({kSteps, kSlots, shape.height, shape.width, shape.channels});
  std::vector<Decided> expected;  // by step
  for (int step = 0; step < kSteps; ++step) expected.push_back(decide(backend, {}, obs[step]));
  Random uniforms = Streams(4).named("actions");  // those of decide()
  std::vector<double> uniform(kSlots);
  for (double& u : uniform) u = uniforms.uniform();

  Random random = Streams(5).named("batches");
  std::vector<int> num_taken(kSlots);
  std::vector<std::vector<collect::InferenceItem>> lanes(inference->num_lanes());
  const auto check_results = [&](std::vector<collect::InferenceItem>& items) {
    for (const collect::InferenceItem& item : items) {
      const auto slot = static_cast<std::size_t>(item.slot);
      collect::InferenceResult& result = inference->results()[slot];
      while (!collect::is_written(result)) {
      }
      const Decided& all = expected[static_cast<std::size_t>(item.step)];
      EXPECT_EQ(static_cast<std::int32_t>(result.action), all.actions[slot]);
      EXPECT_EQ(result.log_prob, all.log_probs[slot]);
      EXPECT_EQ(result.value, all.values[slot]);
      ++num_taken[slot];
    }
    items.clear();
  };
  for (std::size_t lane = 0; std::ranges::min(num_taken) < kSteps;
       lane = (lane + 1) % lanes.size()) {
    check_results(lanes[lane]);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const auto is_this = [&](const auto& item) { return item.slot == static_cast<int>(slot); };
      const bool is_in_flight = std::ranges::any_of(
          lanes, [&](const auto& items) { return std::ranges::any_of(items, is_this); });
      const int step = num_taken[slot];
      if (is_in_flight || step == kSteps || random.below(3) == 0) continue;
      std::copy_n(obs[step][static_cast<std::int64_t>(slot)].const_data_ptr<std::uint8_t>(), size,
                  inference->observations().subspan(slot * size).begin());
      collect::mark_pending(inference->results()[slot]);
      lanes[lane].push_back({.slot = static_cast<std::int32_t>(slot),
                             .step = step,
                             .begins_episode = 0,
                             .value_only = 0,
                             .uniform = uniform[slot]});
    }
    if (!lanes[lane].empty()) inference->submit(lane, lanes[lane]);
  }
  inference->check_device();
  EXPECT_TRUE(at::equal(history.cpu(), obs));
}

TEST_F(GridCnnInference, AnyBatchOfSlotsGivesTheSameBits) {
  expect_same_bits_in_any_batch(*native({14, 14, 3, 7}, {.pool = false}));
  expect_same_bits_in_any_batch(*native({19, 19, 3, 7}, {.channels = 64}));
  expect_same_bits_in_any_batch(
      *make_backend(make_grid_cnn_network({19, 19, 3, 7}, {.channels = 64},
                                          Streams(7).named("init"), Precision::kBf16, device_),
                    Kernels::kPortable));
}

double relative_error(const std::vector<float>& ours, const at::Tensor& theirs) {
  const at::Tensor a = at::tensor(ours).to(at::kDouble);
  const at::Tensor b = theirs.cpu().to(at::kDouble);
  return ((a - b).norm() / b.norm()).item<double>();
}

// The parameter says which native kernels: those for this GPU, or the portable ones.
class ImpalaInference : public testing::CudaTest, public ::testing::WithParamInterface<Kernels> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const KernelChoice choice =
        choose_kernels(impala({}, Precision::kBf16, device_), GetParam()).inference;
    if (choice.kind == KernelKind::kLibtorch) GTEST_SKIP() << choice.reason;
  }

  std::unique_ptr<Backend> native(const ImpalaConfig& config) const {
    return native(GetParam(), config);
  }
  std::unique_ptr<Backend> native(Kernels kernels, const ImpalaConfig& config) const {
    return make_backend(impala(config, Precision::kBf16, device_), kernels);
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, ImpalaInference,
                         ::testing::Values(Kernels::kNative, Kernels::kPortable),
                         [](const auto& kernels) { return to_text(kernels.param); });

TEST_P(ImpalaInference, EqualsLibtorchUpToRounding) {
  for (const bool relu_skip : {false, true}) {
    const ImpalaConfig config{.relu_skip = relu_skip};
    const std::unique_ptr<Backend> backend = native(config);
    const Network exact = impala(config, Precision::kFp32, device_);
    for (const std::int64_t batch : {64, 1, 13, 33, 128, 200}) {
      SCOPED_TRACE("batch " + std::to_string(batch) + (relu_skip ? ", relu_skip" : ""));
      const at::Tensor obs = random_bytes({64, 64, 3, 15}, batch, 256);
      const Decided ours = decide(*backend, {.greedy = true}, obs);
      const c10::InferenceMode inference;
      const Output theirs = exact.forward(obs);
      // bf16 keeps 8 bits, and rounding errors of some 2^-9 add up over 17 layers: 5e-3 was
      // measured for logits and 1.2e-2 for values; one wrong pixel at an edge would show as more.
      EXPECT_LT(relative_error(ours.values, theirs.value), 2e-2);
      const at::Tensor best = std::get<0>(at::log_softmax(theirs.logits, 1).max(1));
      EXPECT_LT(relative_error(ours.log_probs, best), 2e-2);
    }
  }
}

TEST_P(ImpalaInference, AnyBatchOfSlotsGivesTheSameBits) {
  expect_same_bits_in_any_batch(*native({}));
}

TEST_P(ImpalaInference, EveryBatchSizeGivesTheSameBits) {
  const std::unique_ptr<Backend> backend = native({});
  const at::Tensor obs = random_bytes({64, 64, 3, 15}, 128, 256);
  const Decided all = decide(*backend, {}, obs);
  for (int i = 0; i < 100; ++i) {
    for (const std::int64_t batch :
         {32, 64, 128}) {  // on Hopper, 4, 2 and 1 thread blocks per image
      const Decided some = decide(*backend, {}, obs.narrow(0, 0, batch));
      for (std::size_t k = 0; k < some.values.size(); ++k) {
        ASSERT_EQ(some.values[k], all.values[k]) << batch << ' ' << k;
        ASSERT_EQ(some.log_probs[k], all.log_probs[k]) << batch << ' ' << k;
      }
    }
  }
}

// All sums are taken in the same order, whatever the GPU.
TEST_P(ImpalaInference, ResultsAreBitwiseIdenticalToThePortableOnes) {
  for (const bool relu_skip : {false, true}) {
    const ImpalaConfig config{.relu_skip = relu_skip};
    const std::unique_ptr<Backend> ours = native(config);
    const std::unique_ptr<Backend> portable = native(Kernels::kPortable, config);
    const PolicyConfig policy{.score_function = ScoreFunction::kPolicyEntropy};
    for (const std::int64_t batch : {1, 13, 64, 200}) {
      const at::Tensor obs = random_bytes({64, 64, 3, 15}, batch, 256);
      const Decided a = decide(*ours, policy, obs);
      const Decided b = decide(*portable, policy, obs);
      EXPECT_EQ(a.actions, b.actions) << batch;
      EXPECT_EQ(a.log_probs, b.log_probs) << batch;
      EXPECT_EQ(a.values, b.values) << batch;
      EXPECT_EQ(a.terms, b.terms) << batch;
    }
  }
}

TEST_P(ImpalaInference, RefreshTakesOverChangedWeights) {
  const std::unique_ptr<Backend> backend = native({});
  const at::Tensor obs = random_bytes({64, 64, 3, 15}, 8, 256);
  Policy policy(*backend, {}, 8);
  set_observations(policy, obs);
  const auto infer = [&](std::vector<float>& values) {
    Decided out(8);
    policy.act(std::vector<double>(8), {out.actions, out.log_probs, values, {}});
  };
  std::vector<float> before(8), not_refreshed(8), after(8);
  infer(before);
  backend->network().parameters()["stage1.conv.w"].detach().mul_(2);
  infer(not_refreshed);
  policy.refresh();
  infer(after);
  EXPECT_EQ(before, not_refreshed);
  EXPECT_NE(before, after);
}

}  // namespace
}  // namespace plr::learn

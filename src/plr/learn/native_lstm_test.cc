// The recurrent network by native kernels against libtorch's.
#include "plr/learn/native_lstm.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/learn/backend.h"
#include "plr/learn/cuda_backend.h"
#include "plr/learn/device_testing.h"
#include "plr/learn/lstm_network.h"
#include "plr/learn/native_network_testing.h"

namespace plr::learn {
namespace {

using collect::InferenceItem;
using collect::InferenceResult;
using testing::TrainableNetwork;

struct Sizes {
  NetworkShape shape;
  LstmConfig config;
};

const Sizes kMaze{{.height = 5, .width = 5, .channels = 4, .actions = 7, .num_directions = 4}, {}};
const Sizes kNoDirection{{.height = 4, .width = 7, .channels = 3, .actions = 3},
                         {.lstm_units = 128}};

// Larger heads and biases than at the start of training, so that all of them matter.
Network lstm_network(const Sizes& sizes, Precision precision, at::Device device) {
  Network network =
      make_lstm_network(sizes.shape, sizes.config, Streams(7).named("init"), precision, device);
  const at::NoGradGuard no_grad;
  for (const NamedTensor& p : network.parameters().views(network.parameters().values())) {
    if (p.name.ends_with(".b")) p.tensor.copy_(at::linspace(-0.2, 0.3, p.tensor.numel()));
  }
  network.parameters()["policy.w"].detach().mul_(100);
  return network;
}

// Codes below 10, and directions, one of which is out of range.
at::Tensor random_obs(const NetworkShape& shape, at::IntArrayRef counts) {
  std::vector<std::int64_t> size = counts.vec();
  size.insert(size.end(), {shape.height, shape.width, shape.channels});
  at::Tensor obs = at::randint(0, 10, size, at::kByte);
  if (shape.num_directions == 0) return obs;
  std::vector<std::int64_t> one_per_obs = counts.vec();
  one_per_obs.insert(one_per_obs.end(), {1, 1});
  obs.select(-1, shape.channels - 1)
      .copy_(at::randint(0, shape.num_directions + 1, one_per_obs, at::kByte));
  return obs;
}

double largest(const at::Tensor& x) { return x.abs().max().item<double>(); }

class NativeLstm : public testing::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    at::manual_seed(3);
    const Network network = lstm_network(kMaze, Precision::kFp32, device_);
    const KernelChoice choice = choose_kernels(network, Kernels::kAuto).training;
    if (choice.kind == KernelKind::kLibtorch) GTEST_SKIP() << choice.reason;
  }

  Recurrence random_recurrence(std::int64_t units, std::int64_t steps, std::int64_t sequences) {
    return {.state = at::randn({sequences, 2 * units}).mul_(0.5).to(device_),
            .resets = at::rand({steps, sequences}).lt(0.2).to(device_, at::kFloat)};
  }
};

// ---- Training ----------------------------------------------------------------------------------

struct Pass {
  at::Tensor logits, value, grads;
};

Pass pass_of(TrainableNetwork& network, const at::Tensor& obs, const Recurrence& recurrence,
             const at::Tensor& logit_weights, const at::Tensor& value_weights) {
  network.parameters().grads().zero_();
  const ForwardPass pass = network.forward(obs, recurrence);
  network.backward(pass, (pass.output.logits * logit_weights).mean() +
                             (pass.output.value * value_weights).mean());
  return {pass.output.logits.detach(), pass.output.value.detach(),
          network.parameters().grads().clone()};
}

struct Both {
  Pass ours, theirs;
};

Both passes(const Sizes& sizes, Precision precision, at::Device device, std::int64_t steps,
            std::int64_t sequences, const Recurrence& recurrence) {
  const at::Tensor obs = random_obs(sizes.shape, {steps * sequences});
  const at::Tensor logit_weights =
      at::randn({steps * sequences, sizes.shape.actions.num_choices()}).to(device);
  const at::Tensor value_weights = at::randn({steps * sequences}).to(device);
  TrainableNetwork native(lstm_network(sizes, precision, device), Kernels::kNative);
  TrainableNetwork libtorch(lstm_network(sizes, Precision::kFp32, device));
  return {pass_of(native, obs, recurrence, logit_weights, value_weights),
          pass_of(libtorch, obs, recurrence, logit_weights, value_weights)};
}

void expect_near(const Sizes& sizes, const Both& both, double tolerance) {
  EXPECT_LT(largest(both.ours.logits - both.theirs.logits),
            tolerance * (1 + largest(both.theirs.logits)));
  EXPECT_LT(largest(both.ours.value - both.theirs.value),
            tolerance * (1 + largest(both.theirs.value)));
  const Network names = lstm_network(sizes, Precision::kFp32, at::kCPU);
  const std::vector<NamedTensor> ours = names.parameters().views(both.ours.grads.cpu());
  const std::vector<NamedTensor> theirs = names.parameters().views(both.theirs.grads.cpu());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_GT(largest(theirs[i].tensor), 0) << ours[i].name;
    EXPECT_LT(largest(ours[i].tensor - theirs[i].tensor), tolerance * largest(theirs[i].tensor))
        << ours[i].name;
  }
}

TEST_F(NativeLstm, OutputsAndGradientsEqualThoseOfLibtorch) {
  struct Case {
    Sizes sizes;
    std::int64_t steps, sequences;
  };
  for (const Case& c : {Case{kMaze, 12, 3},
                        {kMaze, 1, 8},
                        {kMaze, 2, 9},
                        {kMaze, 33, 40},
                        {kNoDirection, 7, 5},
                        {kNoDirection, 16, 16}}) {
    SCOPED_TRACE(std::to_string(c.steps) + " steps of " + std::to_string(c.sequences));
    const Recurrence recurrence =
        random_recurrence(c.sizes.config.lstm_units, c.steps, c.sequences);
    expect_near(c.sizes,
                passes(c.sizes, Precision::kFp32, device_, c.steps, c.sequences, recurrence), 2e-5);
  }
}

TEST_F(NativeLstm, Bf16IsAsNearToFp32AsThatOfLibtorch) {
  const at::Tensor obs = random_obs(kMaze.shape, {24 * 12});
  const Recurrence recurrence = random_recurrence(256, 24, 12);
  const at::Tensor logit_weights = at::randn({24 * 12, 7}).to(device_);
  const at::Tensor value_weights = at::randn({24 * 12}).to(device_);
  const auto pass = [&](Precision precision, Kernels kernels) {
    TrainableNetwork network(lstm_network(kMaze, precision, device_), kernels);
    return pass_of(network, obs, recurrence, logit_weights, value_weights);
  };
  const Pass exact = pass(Precision::kFp32, Kernels::kLibtorch);
  const auto errors = [&](const Pass& p) {
    return std::array{(p.logits - exact.logits).norm().item<double>(),
                      (p.value - exact.value).norm().item<double>(),
                      (p.grads - exact.grads).norm().item<double>()};
  };
  const auto ours = errors(pass(Precision::kBf16, Kernels::kNative));
  const auto theirs = errors(pass(Precision::kBf16, Kernels::kLibtorch));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_LT(ours[i], 1.5 * theirs[i]) << i;
  EXPECT_LT(theirs[2], 0.1 * exact.grads.norm().item<double>());
}

TEST_F(NativeLstm, IsDeterministicAndAddsGradients) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const at::Tensor obs = random_obs(kMaze.shape, {20 * 24});
    const Recurrence recurrence = random_recurrence(256, 20, 24);
    TrainableNetwork network(lstm_network(kMaze, precision, device_), Kernels::kNative);
    const at::Tensor ones = at::ones({}, device_);
    const Pass one = pass_of(network, obs, recurrence, ones, ones);
    const Pass two = pass_of(network, obs, recurrence, ones, ones);
    EXPECT_TRUE(at::equal(one.logits, two.logits));
    EXPECT_TRUE(at::equal(one.grads, two.grads));
    const ForwardPass third = network.forward(obs, recurrence);
    network.backward(third, third.output.logits.mean() + third.output.value.mean());
    EXPECT_LT(largest(network.parameters().grads() - 2 * one.grads), 1e-6 * largest(one.grads));
  }
}

TEST_F(NativeLstm, AResetHidesEverythingBeforeIt) {
  const at::Tensor obs = random_obs(kMaze.shape, {10 * 8});
  Recurrence recurrence = random_recurrence(256, 10, 8);
  recurrence.resets.zero_();
  recurrence.resets[4].fill_(1);
  TrainableNetwork network(lstm_network(kMaze, Precision::kFp32, device_), Kernels::kNative);
  const auto later_values = [&] {
    return network.forward(obs, recurrence).output.value.view({10, 8}).narrow(0, 4, 6).clone();
  };
  const at::Tensor before = later_values();
  recurrence.state.mul_(-1);
  obs.narrow(0, 0, 4 * 8).fill_(1);
  EXPECT_TRUE(at::equal(later_values(), before));
}

// ---- Choice of kernels -------------------------------------------------------------------------

TEST_F(NativeLstm, BackendIsNativeForSupportedSizes) {
  EXPECT_TRUE(
      make_backend(lstm_network(kMaze, Precision::kBf16, device_), Kernels::kNative)->is_native());
  EXPECT_THROW(make_backend(lstm_network(kMaze, Precision::kBf16, device_), Kernels::kPortable),
               std::invalid_argument);
  Sizes odd = kMaze;
  odd.config.lstm_units = 100;
  const KernelChoices choices =
      choose_kernels(lstm_network(odd, Precision::kFp32, device_), Kernels::kAuto);
  EXPECT_EQ(choices.inference.kind, KernelKind::kLibtorch);
  EXPECT_EQ(choices.training.kind, KernelKind::kLibtorch);
  EXPECT_EQ(choices.training.reason, "native kernels do not support these sizes");
}

// ---- Inference ---------------------------------------------------------------------------------

// Results of a batch, by slot; `obs` is [steps, slots, H, W, C].
std::vector<InferenceResult> results_of(collect::Inference& inference, std::size_t lane,
                                        const at::Tensor& obs,
                                        const std::vector<InferenceItem>& items) {
  const std::size_t size = inference.observations().size() / inference.results().size();
  const auto* from = obs.const_data_ptr<std::uint8_t>();
  for (const InferenceItem& item : items) {
    const auto slot = static_cast<std::size_t>(item.slot);
    const auto index = static_cast<std::size_t>(item.step) * inference.results().size() + slot;
    std::copy_n(from + index * size, size,
                inference.observations().begin() + static_cast<std::ptrdiff_t>(slot * size));
    collect::mark_pending(inference.results()[slot]);
  }
  inference.submit(lane, items);
  inference.check_device();
  return {inference.results().begin(), inference.results().end()};
}

// A rollout's tensors, and inference that writes them.
struct Play {
  Play(const Sizes& sizes, at::Device device, Kernels kernels, std::int64_t steps,
       std::int64_t slots)
      : backend(make_backend(lstm_network(sizes, Precision::kFp32, device), kernels)),
        rollout({static_cast<std::size_t>(steps), static_cast<std::size_t>(slots)}, sizes.shape,
                device, backend->network().state_size()) {
    at::manual_seed(5);  // the same state for all
    rollout.state().copy_(at::randn(rollout.state().sizes()).mul_(0.5));
    inference = backend->make_inference({}, rollout.num_slots(), rollout.tensors());
    inference->refresh();
  }

  std::vector<InferenceResult> infer(std::size_t lane, const at::Tensor& obs,
                                     const std::vector<InferenceItem>& items) {
    return results_of(*inference, lane, obs, items);
  }

  std::unique_ptr<Backend> backend;
  Rollout rollout;
  std::unique_ptr<collect::Inference> inference;
};

// The items of a step; every third slot begins an episode at some step.
std::vector<InferenceItem> items_of(std::int32_t step, std::int32_t num_slots, bool value_only) {
  std::vector<InferenceItem> items;
  for (std::int32_t slot = 0; slot < num_slots; ++slot) {
    items.push_back({.slot = slot,
                     .step = step,
                     .begins_episode = (slot + step) % 3 == 0,
                     .value_only = value_only,
                     .uniform = (slot * 7 + step * 3) % 11 / 11.0});
  }
  return items;
}

TEST_F(NativeLstm, InferenceEqualsThatOfLibtorch) {
  for (const Sizes& sizes : {kMaze, kNoDirection}) {
    for (const std::int32_t num_slots : {1, 8, 13, 32, 100}) {
      SCOPED_TRACE(num_slots);
      constexpr std::int32_t kSteps = 5;
      const at::Tensor obs = random_obs(sizes.shape, {kSteps + 1, num_slots});
      Play ours(sizes, device_, Kernels::kNative, kSteps, num_slots);
      Play theirs(sizes, device_, Kernels::kLibtorch, kSteps, num_slots);
      EXPECT_TRUE(ours.inference->takes_any_batch());
      for (std::int32_t step = 0; step <= kSteps; ++step) {
        const std::vector<InferenceItem> items = items_of(step, num_slots, step == kSteps);
        const std::vector<InferenceResult> a = ours.infer(step % 4, obs, items);
        const std::vector<InferenceResult> b = theirs.infer(0, obs, items);
        for (std::size_t i = 0; i < a.size(); ++i) {
          EXPECT_EQ(a[i].action, b[i].action) << step << " " << i;
          EXPECT_NEAR(a[i].log_prob, b[i].log_prob, 1e-4) << step << " " << i;
          EXPECT_NEAR(a[i].value, b[i].value, 1e-5) << step << " " << i;
        }
      }
      EXPECT_TRUE(at::equal(ours.rollout.obs(), theirs.rollout.obs()));
      EXPECT_TRUE(at::equal(ours.rollout.first_state(), theirs.rollout.first_state()));
      EXPECT_LT(largest(ours.rollout.state() - theirs.rollout.state()), 1e-5);
    }
  }
}

TEST_F(NativeLstm, InferenceHasTheSameBitsInEveryBatch) {
  constexpr std::int32_t kSlots = 21;
  const at::Tensor obs = random_obs(kMaze.shape, {3, kSlots});
  Play together(kMaze, device_, Kernels::kNative, 3, kSlots);
  Play apart(kMaze, device_, Kernels::kNative, 3, kSlots);
  for (std::int32_t step = 0; step < 3; ++step) {
    const std::vector<InferenceItem> items = items_of(step, kSlots, false);
    const std::vector<InferenceResult> a = together.infer(0, obs, items);
    std::vector<InferenceItem> reversed(items.rbegin(), items.rend());
    std::vector<InferenceResult> b;
    for (std::size_t first = 0, size = 1; first < items.size(); first += size, ++size) {
      const std::size_t end = std::min(first + size, items.size());
      b = apart.infer(size % 4, obs,
                      {reversed.begin() + static_cast<std::ptrdiff_t>(first),
                       reversed.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].action, b[i].action);
      EXPECT_EQ(a[i].log_prob, b[i].log_prob);
      EXPECT_EQ(a[i].value, b[i].value);
    }
  }
  EXPECT_TRUE(at::equal(together.rollout.state(), apart.rollout.state()));
}

TEST_F(NativeLstm, InferenceOfTheValueLeavesTheState) {
  const at::Tensor obs = random_obs(kMaze.shape, {2, 8});
  Play play(kMaze, device_, Kernels::kNative, 1, 8);
  play.infer(0, obs, items_of(0, 8, false));
  const at::Tensor state = play.rollout.state().clone();
  play.infer(0, obs, items_of(1, 8, true));
  EXPECT_TRUE(at::equal(play.rollout.state(), state));
  play.infer(0, obs, items_of(1, 8, false));
  EXPECT_FALSE(at::equal(play.rollout.state(), state));
}

// ---- Inference of many slots -------------------------------------------------------------------

constexpr std::int32_t kManySlots = 2100;  // not a multiple of a tile's 64

// Inference without a rollout.
struct PlayOfMany {
  PlayOfMany(const Sizes& sizes, Precision precision, at::Device device, Kernels kernels)
      : backend(make_backend(lstm_network(sizes, precision, device), kernels)) {
    at::manual_seed(5);  // the same state for all
    state = at::randn({kManySlots, backend->network().state_size()}).mul_(0.5).to(device);
    inference = backend->make_inference({}, kManySlots, {.state = state});
    inference->refresh();
  }

  std::vector<InferenceResult> infer(std::size_t lane, const at::Tensor& obs,
                                     const std::vector<InferenceItem>& items) {
    return results_of(*inference, lane, obs, items);
  }

  std::unique_ptr<Backend> backend;
  at::Tensor state;
  std::unique_ptr<collect::Inference> inference;
};

TEST_F(NativeLstm, InferenceOfManySlotsIsNativeInBf16WithoutARollout) {
  const auto backend = make_backend(lstm_network(kMaze, Precision::kBf16, device_));
  EXPECT_TRUE(backend->make_inference({}, 256, {})->takes_any_batch());
  EXPECT_TRUE(backend->make_inference({}, 5000, {})->takes_any_batch());
  Rollout rollout({1, 5000}, kMaze.shape, device_, backend->network().state_size());
  EXPECT_TRUE(backend->make_inference({}, 5000, rollout.tensors())->takes_any_batch());
  const auto exact = make_backend(lstm_network(kMaze, Precision::kFp32, device_));
  EXPECT_TRUE(exact->make_inference({}, 256, {})->takes_any_batch());
  EXPECT_FALSE(exact->make_inference({}, 5000, {})->takes_any_batch());
}

TEST_F(NativeLstm, InferenceOfManySlotsIsAsNearToFp32AsThatOfLibtorch) {
  for (const Sizes& sizes : {kMaze, kNoDirection}) {
    constexpr std::int32_t kSteps = 5;
    const at::Tensor obs = random_obs(sizes.shape, {kSteps + 1, kManySlots});
    PlayOfMany exact(sizes, Precision::kFp32, device_, Kernels::kLibtorch);
    PlayOfMany ours(sizes, Precision::kBf16, device_, Kernels::kNative);
    PlayOfMany theirs(sizes, Precision::kBf16, device_, Kernels::kLibtorch);
    struct Errors {
      double value = 0, log_prob = 0;
      int actions = 0;
    };
    Errors our_errors, their_errors;
    const auto add = [](const std::vector<InferenceResult>& results,
                        const std::vector<InferenceResult>& right, Errors& errors) {
      for (std::size_t i = 0; i < results.size(); ++i) {
        errors.value += std::abs(results[i].value - right[i].value);
        if (results[i].action == right[i].action) {
          errors.log_prob += std::abs(results[i].log_prob - right[i].log_prob);
        } else {
          ++errors.actions;
        }
      }
    };
    for (std::int32_t step = 0; step <= kSteps; ++step) {
      const std::vector<InferenceItem> items = items_of(step, kManySlots, step == kSteps);
      const std::vector<InferenceResult> right = exact.infer(0, obs, items);
      add(ours.infer(step % 4, obs, items), right, our_errors);
      add(theirs.infer(0, obs, items), right, their_errors);
    }
    EXPECT_LT(our_errors.value, 1.5 * their_errors.value);
    EXPECT_LT(our_errors.log_prob, 1.5 * their_errors.log_prob);
    EXPECT_LT(our_errors.actions, 1.5 * their_errors.actions + 10);
    EXPECT_LT(their_errors.actions, 0.05 * (kSteps + 1) * kManySlots);
    EXPECT_LT((ours.state - exact.state).norm().item<double>(),
              1.5 * (theirs.state - exact.state).norm().item<double>());
  }
}

TEST_F(NativeLstm, InferenceOfManySlotsHasTheSameBitsInEveryBatch) {
  const at::Tensor obs = random_obs(kMaze.shape, {3, kManySlots});
  PlayOfMany together(kMaze, Precision::kBf16, device_, Kernels::kNative);
  PlayOfMany apart(kMaze, Precision::kBf16, device_, Kernels::kNative);
  for (std::int32_t step = 0; step < 3; ++step) {
    const std::vector<InferenceItem> items = items_of(step, kManySlots, false);
    const std::vector<InferenceResult> a = together.infer(0, obs, items);
    const std::vector<InferenceItem> reversed(items.rbegin(), items.rend());
    std::vector<InferenceResult> b;
    std::size_t lane = 0;
    for (std::size_t first = 0, size = 1; first < items.size();
         first += size, size = 2 * size + 3) {
      const std::size_t end = std::min(first + size, items.size());
      b = apart.infer(lane++ % 4, obs,
                      {reversed.begin() + static_cast<std::ptrdiff_t>(first),
                       reversed.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].action, b[i].action);
      EXPECT_EQ(a[i].log_prob, b[i].log_prob);
      EXPECT_EQ(a[i].value, b[i].value);
    }
  }
  EXPECT_TRUE(at::equal(together.state, apart.state));
}

TEST_F(NativeLstm, InferenceOfManySlotsWithChangedWeightsNeedsARefresh) {
  const at::Tensor obs = random_obs(kMaze.shape, {1, kManySlots});
  const std::vector<InferenceItem> items = items_of(0, kManySlots, true);
  PlayOfMany play(kMaze, Precision::kBf16, device_, Kernels::kNative);
  const float before = play.infer(0, obs, items)[7].value;
  play.backend->network().parameters()["value.b"].detach().add_(1);
  EXPECT_EQ(play.infer(0, obs, items)[7].value, before);
  play.inference->refresh();
  EXPECT_NEAR(play.infer(0, obs, items)[7].value, before + 1, 1e-5);
}

}  // namespace
}  // namespace plr::learn

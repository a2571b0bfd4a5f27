#include "plr/learn/adam.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "plr/learn/backend.h"
#include "plr/learn/device_testing.h"

namespace plr::learn {
namespace {

Parameters two_layers(at::Device device = at::kCPU) {
  return Parameters(
      {{"a.w", {4, 3, 2, 2}, Init::kXavierUniform, 1}, {"b.w", {5, 7}, Init::kOrthogonal, 1}},
      Streams(1).named("init"), device);
}

// On a GPU `kernels` decides between libtorch's and native ones.
std::unique_ptr<Backend> backend_on(const std::string& device, Kernels kernels) {
  return make_backend(
      Network({1, 1, 1, 2}, {}, 1, Precision::kFp32, two_layers(at::Device(device)), {}), kernels);
}

// Ten of our steps and of torch::optim::Adam's on the same gradients, some of them clipped, and
// with another learning rate from the fifth step on.
void expect_libtorchs_steps(const AdamConfig& config, const std::string& device_name,
                            Kernels kernels) {
  const at::Device device(device_name);
  const std::unique_ptr<Backend> backend = backend_on(device_name, kernels);
  Parameters& parameters = backend->network().parameters();
  Adam adam(parameters, config);
  const at::Tensor broken = at::zeros({}, device);
  std::vector<at::Tensor> theirs;
  for (const char* name : {"a.w", "b.w"}) {
    theirs.push_back(parameters[name].detach().clone().requires_grad_());
  }
  torch::optim::Adam reference(theirs, torch::optim::AdamOptions(config.learning_rate)
                                           .betas({config.beta1, config.beta2})
                                           .eps(config.epsilon));
  Random random = Streams(2).named("gradients");
  for (int step = 0; step < 10; ++step) {
    const double size = step % 2 == 0 ? 1 : 0.01;
    for (std::size_t i = 0; i < 2; ++i) {
      const at::Tensor& ours = parameters[i == 0 ? "a.w" : "b.w"];
      at::Tensor grad = at::empty(ours.sizes());
      for (std::int64_t k = 0; k < grad.numel(); ++k) {
        grad.data_ptr<float>()[k] = static_cast<float>(size * (random.uniform() - 0.5));
      }
      ours.grad().copy_(grad);
      theirs[i].mutable_grad() = grad.clone().to(device);
    }
    if (step == 4) {
      adam.set_learning_rate(0.3 * config.learning_rate);
      reference.param_groups()[0].options().set_lr(0.3 * config.learning_rate);
    }
    const at::Tensor losses = at::zeros({LossColumn::kCount}, device);
    backend->step(losses, broken, adam);
    const double their_norm = torch::nn::utils::clip_grad_norm_(theirs, config.max_grad_norm);
    EXPECT_NEAR(losses[LossColumn::kGradNorm].item<double>(), their_norm, 1e-6);
    reference.step();
  }
  EXPECT_LT((parameters["a.w"] - theirs[0]).abs().max().item<double>(), 1e-6);
  EXPECT_LT((parameters["b.w"] - theirs[1]).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(adam.num_steps(), 10);
}

TEST(Adam, EqualsLibtorchsAdamAfterItsClipping) {
  for (const std::string& device : testing::devices()) {
    for (const Kernels kernels : {Kernels::kAuto, Kernels::kLibtorch}) {
      expect_libtorchs_steps({.learning_rate = 0.01, .max_grad_norm = 0.5}, device, kernels);
      expect_libtorchs_steps({.learning_rate = 0.01, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-8},
                             device, kernels);
    }
  }
}

TEST(Adam, DoesNotClipBelowTheBound) {
  for (const std::string& device : testing::devices()) {
    for (const Kernels kernels : {Kernels::kAuto, Kernels::kLibtorch}) {
      expect_libtorchs_steps({.learning_rate = 0.01, .max_grad_norm = 1e30}, device, kernels);
    }
  }
}

// A NaN in the gradient or the loss, or an earlier one in this update.
void expect_no_change(float grad, float loss, float broken_before, const std::string& device,
                      Kernels kernels) {
  const std::unique_ptr<Backend> backend = backend_on(device, kernels);
  Parameters& parameters = backend->network().parameters();
  Adam adam(parameters, {});
  parameters.grads().fill_(grad);
  const at::Tensor before = parameters.values().clone();
  const at::Tensor broken = at::full({}, broken_before, at::Device(device));
  const at::Tensor losses = at::zeros({LossColumn::kCount}, at::Device(device));
  losses[LossColumn::kTotal].fill_(loss);
  backend->step(losses, broken, adam);
  EXPECT_EQ(broken.item<double>(), 1);
  EXPECT_TRUE(at::equal(parameters.values(), before));
  for (const NamedTensor& tensor : adam.named_state()) {
    EXPECT_EQ(tensor.tensor.abs().sum().item<double>(), 0) << tensor.name;
  }
}

TEST(Adam, AStepThatIsNotFiniteChangesNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& device : testing::devices()) {
    for (const Kernels kernels : {Kernels::kAuto, Kernels::kLibtorch}) {
      expect_no_change(nan, 0, 0, device, kernels);
      expect_no_change(1, nan, 0, device, kernels);
      expect_no_change(1, 0, 1, device, kernels);
    }
  }
}

TEST(Adam, NamesABadField) {
  Parameters parameters = two_layers();
  EXPECT_THROW(Adam(parameters, {.learning_rate = 0}), std::invalid_argument);
  EXPECT_THROW(Adam(parameters, {.beta2 = 1}), std::invalid_argument);
  try {
    const Adam adam(parameters, {.max_grad_norm = -1});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "max_grad_norm must be above 0, not -1");
  }
}

}  // namespace
}  // namespace plr::learn

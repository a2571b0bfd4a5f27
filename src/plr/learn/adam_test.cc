#include "plr/learn/adam.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <limits>
#include <stdexcept>

#include "plr/learn/test_devices.h"

namespace plr::learn {
namespace {

Parameters two_layers(at::Device device = at::kCPU) {
  return Parameters(
      {{"a.w", {4, 3, 2, 2}, Init::kXavierUniform, 1}, {"b.w", {5, 7}, Init::kOrthogonal, 1}},
      Streams(1).named("init"), device);
}

// Ten steps of ours and of libtorch's own optimizer on the same gradients, some of them clipped.
void expect_libtorchs_steps(const AdamConfig& config, at::Device device) {
  const Parameters parameters = two_layers(device);
  Adam adam(parameters, config);
  const at::Tensor zero = at::zeros({}, device);
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
    const at::Tensor norm = at::zeros({}, device);
    adam.step(zero, broken, norm);
    const double their_norm = torch::nn::utils::clip_grad_norm_(theirs, config.max_grad_norm);
    EXPECT_NEAR(norm.item<double>(), their_norm, 1e-6);
    reference.step();
  }
  EXPECT_LT((parameters["a.w"] - theirs[0]).abs().max().item<double>(), 1e-6);
  EXPECT_LT((parameters["b.w"] - theirs[1]).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(adam.num_steps(), 10);
}

TEST(Adam, StepsAsLibtorchsOwnAfterItsOwnClipping) {
  for (const std::string& device : testing::devices()) {
    expect_libtorchs_steps({.learning_rate = 0.01, .max_grad_norm = 0.5}, device);
    expect_libtorchs_steps({.learning_rate = 0.01, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-8},
                           device);
  }
}

TEST(Adam, DoesNotClipBelowTheBound) {
  for (const std::string& device : testing::devices()) {
    expect_libtorchs_steps({.learning_rate = 0.01, .max_grad_norm = 1e30}, device);
  }
}

TEST(Adam, ABrokenStepChangesNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  struct Case {
    float grad, loss, broken;
  };
  for (const std::string& device : testing::devices()) {
    for (const Case& c : {Case{nan, 0, 0}, Case{1, nan, 0}, Case{1, 0, 1}}) {
      const Parameters parameters = two_layers(device);
      Adam adam(parameters, {});
      parameters.grads().fill_(c.grad);
      const at::Tensor before = parameters.values().clone();
      const at::Tensor broken = at::full({}, c.broken, at::Device(device));
      adam.step(at::full({}, c.loss, at::Device(device)), broken, at::zeros_like(broken));
      EXPECT_EQ(broken.item<double>(), 1);
      EXPECT_TRUE(at::equal(parameters.values(), before));
      for (const NamedTensor& tensor : adam.state()) {
        EXPECT_EQ(tensor.tensor.abs().sum().item<double>(), 0) << tensor.name;
      }
    }
  }
}

TEST(Adam, NamesABadField) {
  const Parameters parameters = two_layers();
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

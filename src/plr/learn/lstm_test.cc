// The LSTM against one written with libtorch's operations and differentiated by autograd.
#include "plr/learn/lstm.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/learn/device_testing.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kSteps = 12;
constexpr std::int64_t kBatch = 3;
constexpr std::int64_t kUnits = 8;

struct Inputs {
  at::Tensor x_gates;
  at::Tensor hidden_weight;
  at::Tensor state;
  at::Tensor resets;
};

Inputs random_inputs(const at::Device& device) {
  at::manual_seed(1);
  const auto made = [&](at::IntArrayRef shape) { return at::randn(shape).to(device); };
  return {made({kSteps, kBatch, 4 * kUnits}).requires_grad_(),
          made({4 * kUnits, kUnits}).requires_grad_(), made({kBatch, 2 * kUnits}),
          at::rand({kSteps, kBatch}).lt(0.3).to(device, at::kFloat)};
}

LstmOutput naive_lstm(const Inputs& in) {
  at::Tensor cell = in.state.narrow(1, 0, kUnits);
  at::Tensor hidden = in.state.narrow(1, kUnits, kUnits);
  std::vector<at::Tensor> outputs;
  for (std::int64_t t = 0; t < kSteps; ++t) {
    const at::Tensor keep = 1 - in.resets[t].unsqueeze(1);
    const at::Tensor gates = in.x_gates[t] + at::mm(hidden * keep, in.hidden_weight.t());
    const std::vector<at::Tensor> g = gates.chunk(4, 1);
    cell = g[1].sigmoid() * (cell * keep) + g[0].sigmoid() * g[2].tanh();
    hidden = g[3].sigmoid() * cell.tanh();
    outputs.push_back(hidden);
  }
  return {at::stack(outputs), at::cat({cell, hidden}, 1)};
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Lstm, OutputsAndGradientsEqualThoseOfAutograd) {
  for (const std::string& name : testing::devices()) {
    SCOPED_TRACE(name);
    const at::Device device = testing::exactly(name);
    const Inputs ours = random_inputs(device);
    const Inputs theirs = random_inputs(device);
    const LstmOutput a = lstm(ours.x_gates, ours.hidden_weight, ours.state, ours.resets);
    const LstmOutput b = naive_lstm(theirs);
    EXPECT_LT(largest_difference(a.hidden, b.hidden), 1e-6);
    EXPECT_LT(largest_difference(a.state, b.state), 1e-6);
    const at::Tensor weights = at::randn(a.hidden.sizes()).to(device);
    (a.hidden * weights).sum().backward();
    (b.hidden * weights).sum().backward();
    EXPECT_LT(largest_difference(ours.x_gates.grad(), theirs.x_gates.grad()), 1e-5);
    EXPECT_LT(largest_difference(ours.hidden_weight.grad(), theirs.hidden_weight.grad()), 1e-5);
  }
}

TEST(Lstm, SingleStepsGiveTheSameAsOneSequence) {
  for (const std::string& name : testing::devices()) {
    SCOPED_TRACE(name);
    const Inputs in = random_inputs(testing::exactly(name));
    const at::NoGradGuard no_grad;
    const LstmOutput whole = lstm(in.x_gates, in.hidden_weight, in.state, in.resets);
    at::Tensor state = in.state;
    for (std::int64_t t = 0; t < kSteps; ++t) {
      const LstmOutput step =
          lstm(in.x_gates.narrow(0, t, 1), in.hidden_weight, state, in.resets.narrow(0, t, 1));
      EXPECT_LT(largest_difference(step.hidden[0], whole.hidden[t]), 1e-6);
      state = step.state;
    }
    EXPECT_LT(largest_difference(state, whole.state), 1e-6);
  }
}

TEST(Lstm, AResetHidesEverythingBeforeIt) {
  Inputs in = random_inputs(at::kCPU);
  in.resets.zero_();
  in.resets[5].fill_(1);
  const LstmOutput out = lstm(in.x_gates, in.hidden_weight, in.state, in.resets);
  out.hidden.narrow(0, 5, kSteps - 5).sum().backward();
  EXPECT_EQ(in.x_gates.grad().narrow(0, 0, 5).abs().max().item<double>(), 0);
  EXPECT_GT(in.x_gates.grad()[5].abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace plr::learn

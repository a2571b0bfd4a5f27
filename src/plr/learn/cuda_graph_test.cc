#include "plr/learn/cuda_graph.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plr/learn/device_testing.h"

namespace plr::learn {
namespace {

using testing::devices;
using testing::exactly;

TEST(CudaGraphRunner, RunsTheWorkOncePerCall) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor count = at::zeros({3}, device);
    CudaGraphRunner runner(device);
    for (int i = 0; i < 10; ++i) runner.run([&] { count.add_(1); });
    EXPECT_TRUE(at::equal(count.cpu(), at::full({3}, 10.0))) << name;
  }
}

TEST(CudaGraphRunner, ReadsTheCurrentValuesOfTensors) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor from = at::zeros({1}, device);
    const at::Tensor sum = at::zeros({1}, device);
    CudaGraphRunner runner(device);
    for (int i = 0; i < 10; ++i) {
      from.fill_(i);
      runner.run([&] { sum.add_(from.square()); });
    }
    // 0 + 1 + 4 + ... + 81
    EXPECT_EQ(sum.item<double>(), 285) << name;
  }
}

using CudaGraphRunnerTest = testing::CudaTest;

TEST_F(CudaGraphRunnerTest, CallsTheWorkThreeTimesAndThenReplaysIt) {
  const at::Tensor count = at::zeros({1}, device_);
  CudaGraphRunner runner(device_);
  int calls = 0;
  for (int i = 0; i < 10; ++i) {
    runner.run([&] {
      ++calls;
      count.add_(1);
    });
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(count.item<double>(), 10);
}

TEST(CudaGraphRunner, CanBeMoved) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor count = at::zeros({1}, device);
    CudaGraphRunner first(device);
    for (int i = 0; i < 5; ++i) first.run([&] { count.add_(1); });
    CudaGraphRunner second = std::move(first);
    for (int i = 0; i < 5; ++i) second.run([&] { count.add_(1); });
    EXPECT_EQ(count.item<double>(), 10) << name;
  }
}

}  // namespace
}  // namespace plr::learn

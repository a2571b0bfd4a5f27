#include "plr/learn/repeated.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plr/learn/test_devices.h"

namespace plr::learn {
namespace {

using testing::devices;
using testing::exactly;

TEST(Repeated, DoesTheWorkAsOftenAsItIsCalled) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor count = at::zeros({3}, device);
    Repeated repeated(device);
    for (int i = 0; i < 10; ++i) repeated([&] { count.add_(1); });
    EXPECT_TRUE(at::equal(count.cpu(), at::full({3}, 10.0))) << name;
  }
}

TEST(Repeated, SeesWhatTheTensorsHoldByThen) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor from = at::zeros({1}, device);
    const at::Tensor sum = at::zeros({1}, device);
    Repeated repeated(device);
    for (int i = 0; i < 10; ++i) {
      from.fill_(i);
      repeated([&] { sum.add_(from.square()); });
    }
    // 0 + 1 + 4 + ... + 81
    EXPECT_EQ(sum.item<double>(), 285) << name;
  }
}

TEST(Repeated, OnCudaTheWorkIsDescribedAFewTimesOnly) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const at::Device device = exactly("cuda");
  const at::Tensor count = at::zeros({1}, device);
  Repeated repeated(device);
  int described = 0;
  for (int i = 0; i < 10; ++i) {
    repeated([&] {
      ++described;
      count.add_(1);
    });
  }
  EXPECT_EQ(described, 3);
  EXPECT_EQ(count.item<double>(), 10);
}

TEST(Repeated, MayBeMoved) {
  for (const std::string& name : devices()) {
    const at::Device device = exactly(name);
    const at::Tensor count = at::zeros({1}, device);
    Repeated first(device);
    for (int i = 0; i < 5; ++i) first([&] { count.add_(1); });
    Repeated second = std::move(first);
    for (int i = 0; i < 5; ++i) second([&] { count.add_(1); });
    EXPECT_EQ(count.item<double>(), 10) << name;
  }
}

}  // namespace
}  // namespace plr::learn

// The devices on which tests run.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/learn/compute.h"

namespace plr::testing {

// All devices of this machine.
inline std::vector<std::string> devices() {
  std::vector<std::string> names = {"cpu"};
  if (at::hasCUDA()) names.emplace_back("cuda");
  return names;
}

// Configured to be deterministic: one thread on the CPU, deterministic algorithms on CUDA.
inline at::Device exactly(const std::string& device) {
  return learn::configure({.device = device, .deterministic = device != "cpu"});
}

// A fixture for tests on a GPU; skips them where there is none.  New memory is filled with NaN, so
// that a kernel that reads uninitialized memory does not give the right result by chance.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
    device_ = exactly("cuda");
    at::globalContext().setDeterministicFillUninitializedMemory(true);
    const at::Tensor bytes = at::empty({4}, at::TensorOptions(device_).dtype(at::kByte));
    ASSERT_TRUE(bytes.view(at::kFloat).isnan().item<bool>());
    ASSERT_TRUE(bytes.view(at::kBFloat16).isnan().all().item<bool>());
    ASSERT_TRUE(at::empty({1}, device_).isnan().item<bool>());
  }

  at::Device device_ = at::kCPU;
};

}  // namespace plr::testing

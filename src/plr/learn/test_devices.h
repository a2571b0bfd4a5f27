// On what do the tests of this directory compute?
#pragma once

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/learn/compute.h"

namespace plr::testing {

// Everything that this machine has.
inline std::vector<std::string> devices() {
  std::vector<std::string> names = {"cpu"};
  if (at::hasCUDA()) names.emplace_back("cuda");
  return names;
}

// Exactly repeatable: one thread on the CPU, deterministic algorithms on CUDA.
inline at::Device exactly(const std::string& device) {
  return configure({.device = device, .deterministic = device != "cpu"});
}

// For tests that want CUDA.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
    device_ = exactly("cuda");
  }

  at::Device device_ = at::kCPU;
};

}  // namespace plr::testing

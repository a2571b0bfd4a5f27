#include "plr/learn/compute.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace plr::learn {
namespace {

TEST(ComputeConfig, SetsTheNumberOfThreads) {
  const int before = at::get_num_threads();
  EXPECT_EQ(configure({.num_threads = 1}), at::Device(at::kCPU));
  EXPECT_EQ(at::get_num_threads(), 1);
  configure({.num_threads = before});
}

TEST(ComputeConfig, RefusesUnknownDevicesAndUnsupportedPrecision) {
  EXPECT_THROW(configure({.device = "tpu"}), std::invalid_argument);
  EXPECT_THROW(configure({.precision = Precision::kBf16}), std::invalid_argument);
  EXPECT_THROW(configure({.num_threads = -1}), std::invalid_argument);
  if (!at::hasCUDA()) {
    EXPECT_THROW(configure({.device = "cuda"}), std::invalid_argument);
  }
}

TEST(ComputeConfig, AcceptsTheOldNameOfNativeKernels) {
  ComputeConfig config;
  ASSERT_TRUE(set_field(config, "kernels", "plr"));
  EXPECT_EQ(config.kernels, Kernels::kNative);
  EXPECT_EQ(to_text(config.kernels), "native");
}

}  // namespace
}  // namespace plr::learn

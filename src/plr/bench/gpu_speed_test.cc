#include "plr/bench/gpu_speed.h"

#include <gtest/gtest.h>

#include "plr/learn/compute.h"

namespace plr::bench {
namespace {

using learn::KernelKind;
using learn::Kernels;
using learn::Precision;

TEST(GpuSpeed, DistinguishesKernelsByTheirKind) {
  // On the CPU libtorch computes everything, whatever the setting.
  const at::Device device = learn::configure({});
  const learn::Network network = make_network(PresetNetwork::kProcgen, Precision::kFp32, device);
  EXPECT_EQ(distinct_kernels(network), std::vector{Kernels::kAuto});
}

TEST(GpuSpeed, IsMeasuredForEveryNetwork) {
  const at::Device device = learn::configure({});
  const KernelMeasurement small = {.minibatch = 2, .num_minibatches = 1, .seconds = 1e-3};
  for (std::size_t i = 0; i < enum_names(PresetNetwork{}).size(); ++i) {
    const auto speeds =
        measure_kernels(static_cast<PresetNetwork>(i), small, Precision::kFp32, device);
    ASSERT_EQ(speeds.size(), 1);
    EXPECT_EQ(speeds[0].kernels.training.kind, KernelKind::kLibtorch);
    for (const double images : speeds[0].images_per_second) EXPECT_GT(images, 0);
    EXPECT_GT(speeds[0].samples_per_second, 0);
  }
}

}  // namespace
}  // namespace plr::bench

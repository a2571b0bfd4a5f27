#include "plr/learn/kernel_choice.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plr/learn/backend.h"
#include "plr/learn/cuda_backend.h"
#include "plr/learn/device_testing.h"
#include "plr/learn/impala_testing.h"

namespace plr::learn {
namespace {

using testing::impala;

TEST(KernelChoice, IsLibtorchOnTheCpu) {
  const Network network = impala({}, Precision::kFp32, at::kCPU);
  for (const Kernels kernels : {Kernels::kAuto, Kernels::kNative, Kernels::kPortable}) {
    const auto [inference, training] = choose_kernels(network, kernels);
    EXPECT_EQ(inference.kind, KernelKind::kLibtorch);
    EXPECT_EQ(training.kind, KernelKind::kLibtorch);
    EXPECT_EQ(training.reason, native_kernels_problem(at::kCPU));
  }
  EXPECT_EQ(libtorch_note(network, Kernels::kAuto), "");
}

TEST(KernelChoice, NamesTheSettingThatAsksForLibtorch) {
  const Network network = impala({}, Precision::kFp32, at::kCPU);
  EXPECT_EQ(choose_kernels(network, Kernels::kLibtorch).inference.reason, "kernels = libtorch");
}

TEST(KernelChoice, BackendRefusesRequiredKernelsWithTheReason) {
  for (const char* kernels : {"native", "portable"}) {
    try {
      make_backend(impala({}, Precision::kFp32, at::kCPU), enum_from<Kernels>("kernels", kernels));
      FAIL() << kernels;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), std::string("kernels must be auto or libtorch, not ") + kernels +
                                  ": " + native_kernels_problem(at::kCPU));
    }
  }
}

class KernelChoiceOnGpu : public testing::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const std::string problem = native_kernels_problem(device_);
    if (!problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_F(KernelChoiceOnGpu, PortableExcludesKernelsForHopper) {
  const Network network = impala({}, Precision::kBf16, device_);
  const auto [inference, training] = choose_kernels(network, Kernels::kPortable);
  EXPECT_EQ(inference.kind, KernelKind::kPortable);
  EXPECT_EQ(training.kind, KernelKind::kPortable);
  EXPECT_NE(choose_kernels(network, Kernels::kAuto).training.kind, KernelKind::kLibtorch);
  EXPECT_EQ(libtorch_note(network, Kernels::kAuto), "");
}

TEST_F(KernelChoiceOnGpu, NoteNamesTheGpuTheReasonAndThePart) {
  EXPECT_EQ(libtorch_note(impala({}, Precision::kFp32, device_), Kernels::kAuto),
            "libtorch computes inference and training on " + gpu_text(device_) +
                ": native kernels are bf16, and precision = fp32");
  EXPECT_EQ(
      libtorch_note(impala({}, Precision::kBf16, device_, 7), Kernels::kAuto),
      "libtorch computes inference on " + gpu_text(device_) + ": native kernels need 15 actions");
  EXPECT_EQ(libtorch_note(impala({}, Precision::kFp32, device_), Kernels::kLibtorch), "");
}

}  // namespace
}  // namespace plr::learn

// The service is replaced by a script that makes the pipe and ends on SIGTERM.
#include "plr/experiment/gpu_sharing.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "plr/base/files.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;

class GpuSharingTest : public testing::Test {
 protected:
  GpuSharingTest() {
    ::setenv("PATH", (folder_.path().string() + ":" + old_path_).c_str(), 1);
    ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  }
  ~GpuSharingTest() override { ::setenv("PATH", old_path_.c_str(), 1); }

  void install(const std::string& script) const {
    const fs::path file = folder_.path() / "nvidia-cuda-mps-control";
    write_text(file, "#!/bin/sh\n" + script);
    fs::permissions(file, fs::perms::owner_all);
  }
  fs::path notes() const { return folder_.path() / "notes"; }

  TemporaryDirectory folder_;
  std::string old_path_ = std::getenv("PATH");
};

TEST_F(GpuSharingTest, IsOffWithoutAnInstalledService) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_FALSE(GpuSharing::is_available());
  const GpuSharing sharing;
  EXPECT_FALSE(sharing.is_on());
  EXPECT_EQ(std::getenv("CUDA_MPS_PIPE_DIRECTORY"), nullptr);
}

TEST_F(GpuSharingTest, StartsAServiceInATemporaryFolderAndEndsIt) {
  install("echo $1 $$ > " + notes().string() +
          "; touch $CUDA_MPS_PIPE_DIRECTORY/control; exec sleep 60");
  pid_t service = 0;
  fs::path pipes;
  {
    const GpuSharing sharing;
    EXPECT_TRUE(sharing.is_on());
    pipes = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    EXPECT_TRUE(fs::exists(pipes));
    std::string argument;
    std::ifstream(notes()) >> argument >> service;
    EXPECT_EQ(argument, "-f");
    EXPECT_EQ(::kill(service, 0), 0);
  }
  EXPECT_NE(::kill(service, 0), 0);
  EXPECT_FALSE(fs::exists(pipes));
  EXPECT_EQ(std::getenv("CUDA_MPS_PIPE_DIRECTORY"), nullptr);
}

TEST_F(GpuSharingTest, DiscardsTheOutputOfTheService) {
  install(
      "echo Accepting connection; echo Accepting connection >&2; "
      "touch $CUDA_MPS_PIPE_DIRECTORY/control; exec sleep 60");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    const GpuSharing sharing;
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(GpuSharingTest, IsOffIfTheServiceEndsAtOnce) {
  install("exit 1");
  const GpuSharing sharing;
  EXPECT_FALSE(sharing.is_on());
}

TEST_F(GpuSharingTest, UsesARunningServiceAndLeavesItAlone) {
  install("touch " + notes().string());
  ::setenv("CUDA_MPS_PIPE_DIRECTORY", "/elsewhere", 1);
  {
    const GpuSharing sharing;
    EXPECT_TRUE(sharing.is_on());
  }
  EXPECT_STREQ(std::getenv("CUDA_MPS_PIPE_DIRECTORY"), "/elsewhere");
  EXPECT_FALSE(fs::exists(notes()));
  ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

TEST(VisibleGpus, AreThoseOfTheEnvironmentVariable) {
  ::setenv("CUDA_VISIBLE_DEVICES", "0,GPU-4f2a,3", 1);
  EXPECT_EQ(visible_gpus(), (std::vector<std::string>{"0", "GPU-4f2a", "3"}));
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(visible_gpus(), std::vector<std::string>{});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace plr::experiment

// How do several processes use one GPU at the same time?
//
// By themselves they take turns, and while one has it the others wait.  With CUDA's Multi-Process
// Service their kernels run side by side.  It comes with the driver, and belongs to whoever starts
// it:
//
//   const GpuSharing sharing;        // processes begun from now on share
//   if (!sharing.is_on()) ...        // there is no such service here: they will take turns
//
// The service listens in a folder of its own, which CUDA_MPS_PIPE_DIRECTORY tells to the processes,
// and ends with this object, or with this process however that ends.  Where that variable is set
// already, somebody else cares for it.  Not copied; one at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace plr::run {

class GpuSharing {
 public:
  GpuSharing();
  ~GpuSharing();
  GpuSharing(const GpuSharing&) = delete;
  GpuSharing& operator=(const GpuSharing&) = delete;

  bool is_on() const { return is_on_; }
  // Whether it would be on.
  static bool is_possible();

 private:
  bool is_on_ = false;
  pid_t service_ = 0;             // ours
  std::filesystem::path folder_;  // of its pipes and logs
};

}  // namespace plr::run

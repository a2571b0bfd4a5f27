// Lets several processes use one GPU concurrently, through CUDA's Multi-Process Service (MPS).
//
// Without MPS, processes time-slice the GPU: while one uses it, the others wait.  With MPS their
// kernels run concurrently.  The service comes with the driver and is started per user:
//
//   const GpuSharing sharing;        // processes started from now on share
//   if (!sharing.is_on()) ...        // MPS is unavailable: they will time-slice
//
// The service listens in a temporary folder, which processes find by CUDA_MPS_PIPE_DIRECTORY.  It
// ends with this object, or with this process however that ends.  If the variable is set already,
// the service that it names is used and left alone.
//
// Not copyable.  At most one at a time in a process, since it changes the environment; not
// thread-safe.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace plr::experiment {

class GpuSharing {
 public:
  // Waits at most 5 s for the service to listen.
  GpuSharing();
  ~GpuSharing();
  GpuSharing(const GpuSharing&) = delete;
  GpuSharing& operator=(const GpuSharing&) = delete;

  bool is_on() const { return is_on_; }
  // Whether a service is running or its program is installed.
  static bool is_available();

 private:
  bool is_on_ = false;
  pid_t service_ = 0;             // started by this object; 0 if none
  std::filesystem::path folder_;  // of the service's pipes and logs
};

// The GPUs of this machine as CUDA_VISIBLE_DEVICES names them, restricted to those that the
// variable allows if it is set.
std::vector<std::string> visible_gpus();

}  // namespace plr::experiment

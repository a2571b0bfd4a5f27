#include "plr/run/gpu_sharing.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#include "plr/run/follow_parent.h"

namespace plr::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPipes = "CUDA_MPS_PIPE_DIRECTORY";
constexpr const char* kLogs = "CUDA_MPS_LOG_DIRECTORY";
constexpr std::chrono::seconds kLongestStart(5);

// Where the service's program is; empty if it is not there.
fs::path program() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / "nvidia-cuda-mps-control";
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

fs::path make_folder() {
  std::string folder = (fs::temp_directory_path() / "plr-gpu-XXXXXX").string();
  return ::mkdtemp(folder.data()) == nullptr ? fs::path() : fs::path(folder);
}

// What the service tells on its way is not for the terminal, where the runs' progress is.
// Called in the new process: takes neither memory nor a lock.
void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

// It listens once it has made its pipe.  `service` is 0 if it has ended instead.
bool begins_to_listen(pid_t& service, const fs::path& folder) {
  const auto deadline = std::chrono::steady_clock::now() + kLongestStart;
  while (std::chrono::steady_clock::now() < deadline) {
    if (fs::exists(folder / "control")) return true;
    if (::waitpid(service, nullptr, WNOHANG) == service) {
      service = 0;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

bool GpuSharing::is_possible() { return std::getenv(kPipes) != nullptr || !program().empty(); }

GpuSharing::GpuSharing() {
  if (std::getenv(kPipes) != nullptr) {
    is_on_ = true;
    return;
  }
  const std::string file = program().string();
  if (file.empty()) return;
  folder_ = make_folder();
  if (folder_.empty()) return;
  ::setenv(kPipes, folder_.c_str(), 1);
  ::setenv(kLogs, folder_.c_str(), 1);
  const pid_t parent = ::getpid();
  service_ = ::fork();
  if (service_ == 0) {
    follow_parent(parent);  // not Ctrl-C, which is for the runs: they save before it ends
    be_silent();
    ::execl(file.c_str(), file.c_str(), "-f", nullptr);
    ::_exit(127);
  }
  is_on_ = service_ > 0 && begins_to_listen(service_, folder_);
}

GpuSharing::~GpuSharing() {
  if (folder_.empty()) return;
  ::unsetenv(kPipes);
  ::unsetenv(kLogs);
  if (service_ > 0 && ::kill(service_, SIGTERM) == 0) ::waitpid(service_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace plr::run

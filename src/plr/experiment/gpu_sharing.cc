#include "plr/experiment/gpu_sharing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

#include "plr/experiment/follow_parent.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPipes = "CUDA_MPS_PIPE_DIRECTORY";
constexpr const char* kLogs = "CUDA_MPS_LOG_DIRECTORY";
constexpr std::chrono::seconds kLongestStart(5);

// The path of the service's program; empty if it is not installed.
fs::path service_program() {
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

// Redirects the service's messages away from the terminal, which shows the progress of the runs.
// Called in the child: neither allocates nor locks.
void discard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

// Waits for the service to make its pipe; it listens from then on.  Sets `service` to 0 if it has
// ended instead.
bool wait_until_listening(pid_t& service, const fs::path& folder) {
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

bool GpuSharing::is_available() {
  return std::getenv(kPipes) != nullptr || !service_program().empty();
}

GpuSharing::GpuSharing() {
  if (std::getenv(kPipes) != nullptr) {
    is_on_ = true;
    return;
  }
  const std::string file = service_program().string();
  if (file.empty()) return;
  folder_ = make_folder();
  if (folder_.empty()) return;
  ::setenv(kPipes, folder_.c_str(), 1);
  ::setenv(kLogs, folder_.c_str(), 1);
  const pid_t parent = ::getpid();
  service_ = ::fork();
  if (service_ == 0) {
    follow_parent(parent);  // out of reach of Ctrl-C: the runs save before the service ends
    discard_output();
    ::execl(file.c_str(), file.c_str(), "-f", nullptr);
    ::_exit(127);
  }
  is_on_ = service_ > 0 && wait_until_listening(service_, folder_);
}

GpuSharing::~GpuSharing() {
  if (folder_.empty()) return;
  ::unsetenv(kPipes);
  ::unsetenv(kLogs);
  if (service_ > 0 && ::kill(service_, SIGTERM) == 0) ::waitpid(service_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    const std::string names = visible;
    for (std::size_t begin = 0; begin < names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      gpus.push_back(names.substr(begin, end - begin));
      begin = end + 1;
    }
    return gpus;
  }
  // The driver's device files: /dev/nvidia0, /dev/nvidia1, ...
  for (int i = 0; fs::exists(fmt::format("/dev/nvidia{}", i)); ++i) {
    gpus.push_back(fmt::to_string(i));
  }
  return gpus;
}

}  // namespace plr::experiment

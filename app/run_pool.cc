#include "app/run_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "app/stop_wanted.h"
#include "plr/run/follow_parent.h"

namespace plr::app {
namespace {

// In the new process: nothing here may take memory or a lock.
[[noreturn]] void become(char* const* command, char* const* environment, int output, pid_t parent) {
  run::follow_parent(parent);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execve(command[0], command, environment);
  ::_exit(127);
}

// Ours, with the GPU that it shall use.
std::vector<std::string> environment_for(const std::string& gpu) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (gpu.empty() || !text.starts_with("CUDA_VISIBLE_DEVICES=")) variables.push_back(text);
  }
  if (!gpu.empty()) variables.push_back("CUDA_VISIBLE_DEVICES=" + gpu);
  return variables;
}

}  // namespace

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

RunPool::RunPool(std::vector<Job> jobs, int num_places, std::vector<std::string> gpus)
    : jobs_(std::move(jobs)),
      gpus_(std::move(gpus)),
      places_(static_cast<std::size_t>(num_places)) {}

RunPool::~RunPool() {
  stop();
  for (const Place& place : places_) {
    if (place.process != 0) ::waitpid(place.process, nullptr, 0);
  }
}

void RunPool::start(std::size_t job, std::size_t place) {
  std::vector<std::string> command = jobs_[job].command;
  std::vector<std::string> environment =
      environment_for(gpus_.empty() ? "" : gpus_[place % gpus_.size()]);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  const std::string output = jobs_[job].output.string();
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", output, std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) become(arguments.data(), variables.data(), file, parent);
  ::close(file);
  if (process < 0) {
    throw std::runtime_error(fmt::format("cannot make a process: {}", std::strerror(errno)));
  }
  places_[place] = {process, job};
}

std::vector<Ended> RunPool::poll() {
  std::vector<Ended> ended;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    int status = 0;
    if (place.process != 0 && ::waitpid(place.process, &status, WNOHANG) == place.process) {
      const bool is_killed = WIFSIGNALED(status);
      ended.push_back({.job = place.job,
                       .is_good = !is_killed && WEXITSTATUS(status) == 0,
                       .is_stopped = is_killed ? is_stopping_ && WTERMSIG(status) == SIGTERM
                                               : is_stopped(WEXITSTATUS(status)),
                       .how = is_killed ? fmt::format("signal {}", WTERMSIG(status))
                                        : fmt::format("exit code {}", WEXITSTATUS(status))});
      place = {};
    }
    if (place.process == 0 && next_ < jobs_.size()) start(next_++, i);
  }
  return ended;
}

bool RunPool::is_done() const { return next_ >= jobs_.size() && running().empty(); }

std::vector<std::size_t> RunPool::running() const {
  std::vector<std::size_t> jobs;
  for (const Place& place : places_) {
    if (place.process != 0) jobs.push_back(place.job);
  }
  return jobs;
}

void RunPool::stop() {
  next_ = jobs_.size();
  is_stopping_ = true;
  for (const Place& place : places_) {
    if (place.process != 0) ::kill(place.process, SIGTERM);
  }
}

std::vector<std::string> usable_gpus() {
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
  for (int i = 0; std::filesystem::exists(fmt::format("/dev/nvidia{}", i)); ++i) {
    gpus.push_back(fmt::to_string(i));
  }
  return gpus;
}

}  // namespace plr::app

#include "plr/experiment/run_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "plr/experiment/follow_parent.h"
#include "plr/terminal/stop_signal.h"

namespace plr::experiment {
namespace {

// Blocks SIGTERM while it lives. A child that is forked meanwhile inherits this process's handler,
// which would swallow a stop() before execve(); blocked, the signal stays pending until the child
// has the default action.
class TerminationBlocker {
 public:
  TerminationBlocker() {
    sigset_t termination;
    ::sigemptyset(&termination);
    ::sigaddset(&termination, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &termination, &before_);
  }
  ~TerminationBlocker() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  TerminationBlocker(const TerminationBlocker&) = delete;
  TerminationBlocker& operator=(const TerminationBlocker&) = delete;

  // In the child: from here on SIGTERM ends it.
  void restore_default_action() const {
    std::signal(SIGTERM, SIG_DFL);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

// Called in the child: neither allocates nor locks.
[[noreturn]] void exec_child(char* const* command, char* const* environment, int output,
                             pid_t parent, const TerminationBlocker& blocker) {
  follow_parent(parent);
  blocker.restore_default_action();
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execve(command[0], command, environment);
  ::_exit(127);
}

// The environment of this process, with CUDA_VISIBLE_DEVICES replaced if `gpu` is not empty.
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

std::vector<char*> exec_arguments(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

RunPool::RunPool(std::vector<PoolJob> jobs, PoolOptions options)
    : jobs_(std::move(jobs)),
      gpus_(std::move(options.gpus)),
      processes_(static_cast<std::size_t>(options.max_running)) {}

RunPool::~RunPool() {
  stop();
  for (const Process& process : processes_) {
    if (process.id != 0) ::waitpid(process.id, nullptr, 0);
  }
}

void RunPool::start(std::size_t job, std::size_t index) {
  std::vector<std::string> command = jobs_[job].command;
  std::vector<std::string> environment =
      environment_for(gpus_.empty() ? "" : gpus_[index % gpus_.size()]);
  const std::vector<char*> arguments = exec_arguments(command);
  const std::vector<char*> variables = exec_arguments(environment);
  const std::string output = jobs_[job].output.string();
  const int file =
      ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", output, std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  const TerminationBlocker blocker;
  const pid_t child = ::fork();
  if (child == 0) exec_child(arguments.data(), variables.data(), file, parent, blocker);
  ::close(file);
  if (child < 0) {
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  processes_[index] = {child, job};
}

std::vector<EndedJob> RunPool::poll() {
  std::vector<EndedJob> ended;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    int status = 0;
    if (process.id != 0 && ::waitpid(process.id, &status, WNOHANG) == process.id) {
      const bool is_killed = WIFSIGNALED(status);
      ended.push_back({.job = process.job,
                       .succeeded = !is_killed && WEXITSTATUS(status) == 0,
                       .stopped = is_killed ? is_stopping_ && WTERMSIG(status) == SIGTERM
                                            : terminal::is_stopped(WEXITSTATUS(status)),
                       .status = is_killed ? fmt::format("signal {}", WTERMSIG(status))
                                           : fmt::format("exit code {}", WEXITSTATUS(status))});
      process = {};
    }
    if (process.id == 0 && next_ < jobs_.size()) start(next_++, i);
  }
  return ended;
}

bool RunPool::is_done() const { return next_ >= jobs_.size() && running().empty(); }

std::vector<std::size_t> RunPool::running() const {
  std::vector<std::size_t> jobs;
  for (const Process& process : processes_) {
    if (process.id != 0) jobs.push_back(process.job);
  }
  return jobs;
}

void RunPool::stop() {
  next_ = jobs_.size();
  is_stopping_ = true;
  for (const Process& process : processes_) {
    if (process.id != 0) ::kill(process.id, SIGTERM);
  }
}

}  // namespace plr::experiment

// Runs code in a child process with a file size limit.
//
// Not thread-safe: forks.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>

namespace plr {

// Runs `work` in a child process that cannot write a file larger than `bytes`, like on a full disk.
// Returns the message of its exception, "" if there is none.
template <class Work>
std::string error_with_small_disk(rlim_t bytes, const Work& work) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return "cannot make a pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);  // so that the write fails instead of the process
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::string error;
    try {
      work();
    } catch (const std::exception& problem) {
      error = problem.what();
    }
    const bool told =
        ::write(pipe_ends[1], error.data(), error.size()) == static_cast<ssize_t>(error.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  char text[4096];
  std::string error;
  for (ssize_t count = 0; (count = ::read(pipe_ends[0], text, sizeof text)) > 0;) {
    error.append(text, static_cast<std::size_t>(count));
  }
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? error : "the child died";
}

}  // namespace plr

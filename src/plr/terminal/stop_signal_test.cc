// Signals change the process for good, so that each test sends them to a fork.
#include "plr/terminal/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace plr::terminal {
namespace {

// The wait status of a child that does `work` and exits with its result.
template <class Work>
int exit_status(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(StopSignal, ASignalIsARequest) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const int status = exit_status([signal] {
      handle_stop_signals();
      if (stop_requested()) return 1;
      std::raise(signal);
      return stop_requested() ? Stopped().exit_code() : 2;
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_TRUE(is_stopped(WEXITSTATUS(status)));
  }
}

TEST(StopSignal, ASecondCtrlCEndsTheProcess) {
  const int status = exit_status([] {
    handle_stop_signals();
    std::raise(SIGINT);
    std::raise(SIGINT);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(StopSignal, ASecondSigtermIsTheSameRequest) {
  const int status = exit_status([] {
    handle_stop_signals();
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    return 7;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(StopSignal, AnIgnoredSignalStaysIgnored) {
  for (const int signal : {SIGHUP, SIGPIPE}) {
    const int status = exit_status([signal] {
      std::signal(signal, SIG_IGN);
      handle_stop_signals();
      std::raise(signal);
      return stop_requested() ? 1 : 0;
    });
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(StopSignal, APipeThatNobodyReadsIsARequest) {
  const int status = exit_status([] {
    handle_stop_signals();
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    ::close(ends[0]);
    if (::write(ends[1], "x", 1) != -1) return 2;
    return stop_requested() ? 0 : 3;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StopSignal, OtherExitCodesAreNoStop) {
  EXPECT_FALSE(is_stopped(0));
  EXPECT_FALSE(is_stopped(2));
  EXPECT_FALSE(is_stopped(128 + SIGKILL));
}

}  // namespace
}  // namespace plr::terminal

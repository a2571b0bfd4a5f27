#include "app/stop_wanted.h"

#include <csignal>

namespace plr::app {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

void want_stop(int signal) {
  stop_wanted = signal;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void listen_for_stop() {
  std::signal(SIGINT, want_stop);
  std::signal(SIGTERM, want_stop);
  // Of a terminal that is closed; nohup has it ignored.
  if (std::signal(SIGHUP, want_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool is_stop_wanted() { return stop_wanted != 0; }

int Stopped::exit_code() const { return 128 + (is_stop_wanted() ? stop_wanted : SIGTERM); }

bool is_stopped(int exit_code) {
  return exit_code == 128 + SIGINT || exit_code == 128 + SIGTERM || exit_code == 128 + SIGHUP;
}

}  // namespace plr::app

#include "plr/terminal/stop_signal.h"

#include <csignal>
#include <initializer_list>

namespace plr::terminal {
namespace {

volatile std::sig_atomic_t received = 0;

void receive(int signal) {
  received = signal;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void handle_stop_signals() {
  std::signal(SIGINT, receive);
  std::signal(SIGTERM, receive);
  for (const int signal : {SIGHUP, SIGPIPE}) {
    if (std::signal(signal, receive) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool stop_requested() { return received != 0; }

int Stopped::exit_code() const { return 128 + (stop_requested() ? received : SIGTERM); }

bool is_stopped(int exit_code) {
  return exit_code == 128 + SIGINT || exit_code == 128 + SIGTERM || exit_code == 128 + SIGHUP ||
         exit_code == 128 + SIGPIPE;
}

}  // namespace plr::terminal

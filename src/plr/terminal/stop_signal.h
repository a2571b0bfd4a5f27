// Turns Ctrl-C, SIGTERM, SIGHUP and SIGPIPE into a request that long operations poll.
//
//   handle_stop_signals();
//   while (!stop_requested()) ...
//   if (!is_done) throw Stopped();   // after saving: the program exits with 130, 143, 129 or 141
//
// A second Ctrl-C ends the program at once.  A second SIGTERM does not: `timeout` and schedulers
// send one to the program and another to its process group.
//
// The state belongs to the process.  stop_requested() may be called from any thread.
#pragma once

namespace plr::terminal {

// Installs the handlers.  SIGHUP and SIGPIPE stay ignored where they are, as nohup leaves the
// first.
void handle_stop_signals();
bool stop_requested();

// Thrown when an operation ended early, with its work saved, because of such a request.
struct Stopped {
  // 128 plus the number of the signal, as shells report it; SIGTERM if there was none.
  int exit_code() const;
};

// Whether `exit_code` is the one of a program that stopped on request.
bool is_stopped(int exit_code);

}  // namespace plr::terminal

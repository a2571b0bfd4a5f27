// How does one ask a long run to stop, and save?
//
//   listen_for_stop();                  // from now on Ctrl-C, SIGTERM and SIGHUP are requests
//   while (!is_stop_wanted()) ...
//
//   if (!is_done) throw Stopped();      // all is saved and said; the program ends with 130, 143 or
//   129
//
// A second Ctrl-C ends the program at once.  A second SIGTERM does not: `timeout` and schedulers
// send one to the program and another to its group.
#pragma once

namespace plr::app {

void listen_for_stop();
bool is_stop_wanted();

// Work was left undone because somebody wanted it so.
struct Stopped {
  // As shells have it: 128 and the signal's number.
  int exit_code() const;
};

// A program that was asked to stop ends with it.
bool is_stopped(int exit_code);

}  // namespace plr::app

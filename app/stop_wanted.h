// How does one ask a long run to stop, and save?
//
//   listen_for_stop();                  // from now on Ctrl-C and SIGTERM are requests
//   while (!is_stop_wanted()) ...
//
// A second Ctrl-C ends the program at once.  A second SIGTERM does not: `timeout` and schedulers
// send one to the program and another to its group.
#pragma once

namespace plr::app {

void listen_for_stop();
bool is_stop_wanted();

}  // namespace plr::app

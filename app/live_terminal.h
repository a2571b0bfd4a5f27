// How is something shown in a terminal that changes in place, and ends cleanly?
//
//   LiveTerminal terminal;
//   do terminal.show(lines); while (terminal.wait(150));
//
// As long as it lives, the cursor is hidden, keys are not echoed, lines do not wrap, and Ctrl-C
// only ends the wait; afterwards all is as it was.  One at a time.
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace plr::app {

class LiveTerminal {
 public:
  // Standard output must be a terminal.
  LiveTerminal();
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  // In the place of what was shown before; lines below the screen's end are left away.
  void show(std::vector<std::string> lines);

  // False if the user has had enough.
  bool wait(int milliseconds);
  // Where nobody can press Enter it goes on at once.
  bool wait_for_enter();

 private:
  std::size_t num_lines_ = 0;  // shown
  std::optional<termios> keys_before_;
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace plr::app

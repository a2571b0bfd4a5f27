// A block of lines in the terminal that is redrawn in place.
//
//   LiveTerminal terminal;
//   do terminal.show(lines); while (terminal.wait(150));
//
// While it exists the cursor is hidden, keys are not echoed, lines do not wrap, and Ctrl-C or
// SIGTERM only end the wait; the destructor restores all of it.  Not copyable.  At most one at a
// time in a process; not thread-safe.
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace plr::terminal {

class LiveTerminal {
 public:
  // REQUIRES: standard output is a terminal.
  LiveTerminal();
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  // Replaces the lines shown before; lines that do not fit on the screen are left out.
  void show(std::vector<std::string> lines);

  // Waits; returns false at once if the user interrupts.
  bool wait(int milliseconds);
  // Waits for Enter; returns false if the user interrupts.  Does not wait if standard input is not
  // a terminal.
  bool wait_for_enter();

 private:
  std::size_t num_lines_ = 0;  // shown
  std::optional<termios> keys_before_;
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace plr::terminal

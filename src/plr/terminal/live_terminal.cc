#include "plr/terminal/live_terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "plr/terminal/print.h"
#include "plr/terminal/screen.h"

namespace plr::terminal {
namespace {

// A pipe: the signal handler, which may run in any thread, writes a byte, and wait_for() polls it.
std::array<int, 2> interrupts = {-1, -1};  // read end, write end

void note_interrupt(int) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(interrupts[1], "!", 1);
  errno = error;
}

void show_text(const std::string& text) {
  write(stdout, text);
  std::fflush(stdout);
}

// Waits for an interrupt or for input from `file`; false if it was an interrupt.
bool wait_for(int file, int milliseconds) {
  std::array<pollfd, 2> files = {{{interrupts[0], POLLIN, 0}, {file, POLLIN, 0}}};
  while (poll(files.data(), files.size(), milliseconds) < 0 && errno == EINTR) {
  }
  return files[0].revents == 0;
}

constexpr int kNoFile = -1;  // ignored by poll
constexpr int kForEver = -1;

}  // namespace

LiveTerminal::LiveTerminal() {
  if (pipe(interrupts.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
  termios keys = {};
  if (tcgetattr(STDIN_FILENO, &keys) == 0) {
    keys_before_ = keys;
    keys.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  show_text("\x1b[?25l\x1b[?7l");  // no cursor, no wrapping
}

LiveTerminal::~LiveTerminal() {
  show_text("\x1b[?7h\x1b[?25h");
  // Discards what was typed meanwhile, so that the shell does not read it.
  if (keys_before_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &*keys_before_);
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  for (const int end : interrupts) close(end);
}

void LiveTerminal::show(std::vector<std::string> lines) {
  // The cursor stays on the last line of the screen.
  const auto room = static_cast<std::size_t>(screen_height() - 1);
  if (lines.size() > room) lines.resize(room);
  std::string text = num_lines_ > 0 ? fmt::format("\x1b[{}A\r", num_lines_) : "";
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  show_text(text + "\x1b[J");
  num_lines_ = lines.size();
}

bool LiveTerminal::wait(int milliseconds) { return wait_for(kNoFile, milliseconds); }

bool LiveTerminal::wait_for_enter() {
  if (!keys_before_) return wait(0);
  if (!wait_for(STDIN_FILENO, kForEver)) return false;
  std::array<char, 256> typed = {};
  [[maybe_unused]] const ssize_t count = read(STDIN_FILENO, typed.data(), typed.size());
  return true;
}

}  // namespace plr::terminal

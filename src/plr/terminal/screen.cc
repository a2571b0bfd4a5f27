#include "plr/terminal/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace plr::terminal {
namespace {

winsize screen_size() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return size;
  }
  return {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
}

}  // namespace

Colors screen_colors() {
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  if (refused || isatty(STDOUT_FILENO) == 0) return Colors::kNone;
  const char* depth = std::getenv("COLORTERM");
  const std::string_view text = depth == nullptr ? "" : depth;
  return text == "truecolor" || text == "24bit" ? Colors::kTrue : Colors::k256;
}

int screen_width() { return screen_size().ws_col; }
int screen_height() { return screen_size().ws_row; }

}  // namespace plr::terminal

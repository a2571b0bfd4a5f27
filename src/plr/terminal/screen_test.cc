// Standard output is redirected to a pseudo-terminal of a known size.
#include "plr/terminal/screen.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>

namespace plr::terminal {
namespace {

class ScreenTest : public testing::Test {
 protected:
  ScreenTest() {
    winsize size = {.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    if (::openpty(&controller_, &terminal_, nullptr, nullptr, &size) != 0) ADD_FAILURE();
    ::unsetenv("NO_COLOR");
    ::unsetenv("COLORTERM");
  }
  ~ScreenTest() override {
    ::close(controller_);
    ::close(terminal_);
  }

  // The result of `question` with the pseudo-terminal as standard output.
  template <class Question>
  auto at_terminal(Question question) const {
    const int before = ::dup(STDOUT_FILENO);
    ::dup2(terminal_, STDOUT_FILENO);
    const auto answer = question();
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    return answer;
  }

  int controller_ = -1;
  int terminal_ = -1;
};

TEST_F(ScreenTest, HasTheTerminalsSize) {
  EXPECT_EQ(at_terminal(screen_width), 100);
  EXPECT_EQ(at_terminal(screen_height), 30);
}

TEST_F(ScreenTest, HasTheColorsThatTheEnvironmentAllows) {
  EXPECT_EQ(at_terminal(screen_colors), Colors::k256);
  ::setenv("COLORTERM", "truecolor", 1);
  EXPECT_EQ(at_terminal(screen_colors), Colors::kTrue);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(at_terminal(screen_colors), Colors::kNone);
}

}  // namespace
}  // namespace plr::terminal

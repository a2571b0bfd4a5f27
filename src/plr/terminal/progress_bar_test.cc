#include "plr/terminal/progress_bar.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace plr::terminal {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

TEST(ProgressBar, WritesPlainLinesToAFile) {
  const File file(std::tmpfile());
  ProgressBar bar(file.get());
  bar.show({.fraction = 0.25, .seconds_left = 90, .text = "12.3k steps/s"});
  EXPECT_EQ(contents(file.get()), " 25%  12.3k steps/s  1:30 left\n");
}

TEST(ProgressBar, SkipsStatesThatFollowTooSoonExceptTheLast) {
  const File file(std::tmpfile());
  ProgressBar bar(file.get());
  bar.show({.fraction = 0.25, .seconds_left = 3, .text = "a"});
  bar.show({.fraction = 0.5, .seconds_left = 2, .text = "b"});
  bar.show({.fraction = 1, .seconds_left = 0, .text = "c"});
  EXPECT_EQ(contents(file.get()), " 25%  a  0:03 left\n100%  c  0:00 left\n");
}

TEST(ProgressBar, ShowsTheNextStateAfterALine) {
  const File file(std::tmpfile());
  ProgressBar bar(file.get());
  bar.show({.fraction = 0.25, .seconds_left = 3, .text = "a"});
  bar.print_line("one run has finished");
  bar.show({.fraction = 0.5, .seconds_left = 2, .text = "b"});
  EXPECT_EQ(contents(file.get()), " 25%  a  0:03 left\none run has finished\n 50%  b  0:02 left\n");
}

TEST(FractionDone, ShowsNothingOfShortOperations) {
  const File file(std::tmpfile());
  ProgressBar bar(file.get());
  FractionDone done(bar, "evaluation");
  done(0);
  done(1);
  EXPECT_EQ(contents(file.get()), "");
}

TEST(ProgressBar, IgnoresAFullDisk) {
  const File file(std::fopen("/dev/full", "w"));
  ProgressBar bar(file.get());
  EXPECT_NO_THROW({
    bar.show({.fraction = 0.25, .seconds_left = 3, .text = "a"});
    bar.print_line("one run has finished");
    bar.finish();
  });
  EXPECT_NE(std::ferror(file.get()), 0);
}

TEST(ProgressBar, RedrawsOneLineOfATerminal) {
  int controller = -1;
  int terminal = -1;
  ASSERT_EQ(::openpty(&controller, &terminal, nullptr, nullptr, nullptr), 0);
  {
    const File file(::fdopen(terminal, "w"));
    ProgressBar bar(file.get());
    bar.show({.fraction = 0.5, .seconds_left = 3, .text = "half"});
    bar.finish();
  }
  // The terminal may pass on what it was given in several parts; reading fails after the last one.
  std::string text;
  std::array<char, 4096> part = {};
  for (ssize_t count; (count = ::read(controller, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  ::close(controller);
  EXPECT_EQ(text, "\r\033[K 50% |████████████            | half  0:03 left\r\n");
}

}  // namespace
}  // namespace plr::terminal

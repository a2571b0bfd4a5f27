#include "plr/terminal/shell_word.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace plr::terminal {
namespace {

// What a shell passes to a program for `text` once it has been quoted.
std::string read_by_shell(const std::string& text) {
  const std::string command = "printf %s " + shell_word(text);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string result;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result += static_cast<char>(c);
  ::pclose(pipe);
  return result;
}

TEST(ShellWord, LeavesPlainTextUnquoted) {
  EXPECT_EQ(shell_word("runs/a-b_c.1"), "runs/a-b_c.1");
  EXPECT_EQ(shell_word("--gres=gpu:1"), "--gres=gpu:1");
}

TEST(ShellWord, QuotesEmptyText) { EXPECT_EQ(shell_word(""), "''"); }

TEST(ShellWord, SurvivesTheShell) {
  for (const char* text : {"my runs", "it's", "$HOME", "a;b", "*", "`x`", "\\", "\"", "'", "#"}) {
    EXPECT_EQ(read_by_shell(text), text);
  }
}

}  // namespace
}  // namespace plr::terminal

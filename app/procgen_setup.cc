#include "app/procgen_setup.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "plr/procgen/games.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

// Runs `command setup procgen` with its output on standard error, since standard output is for
// results; returns whether it succeeded.
bool run_setup(const std::string& command) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execlp(command.c_str(), command.c_str(), "setup", "procgen", nullptr);
    ::_exit(127);
  }
  if (child < 0) {
    throw std::runtime_error(fmt::format("cannot start {}: {}", command, std::strerror(errno)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void prepare_procgen(std::string_view env) {
  if (!procgen::find_variant(env)) return;
  const char* folder = std::getenv("PLR_PROCGEN");
  const char* command = std::getenv("PLR_COMMAND");
  if (folder == nullptr || *folder == '\0' || std::filesystem::exists(folder)) return;
  if (command == nullptr || *command == '\0') return;
  terminal::print(stderr, "{} needs Procgen 0.10.7, which is missing; running {} setup procgen\n",
                  env, command);
  if (!run_setup(command)) {
    throw std::runtime_error(fmt::format(
        "{} setup procgen failed; set PLR_PROCGEN to the folder procgen of an unpacked procgen "
        "0.10.7 wheel (cp310, manylinux x86_64)",
        command));
  }
}

}  // namespace plr::app

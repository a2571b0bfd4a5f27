// The commands that need libtorch, in a program that is built without it.
//
// The Python package contains such a program.  It starts `$PLR_PYTHON -m plr.trainer`, which builds
// the program with libtorch once and passes the arguments on (python/plr/trainer.py).
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "app/ranks.h"
#include "app/verbs.h"

namespace plr::app {
namespace {

[[noreturn]] void start_trainer(const std::vector<std::string>& words) {
  const char* python = std::getenv("PLR_PYTHON");
  if (python == nullptr || *python == '\0') {
    throw std::runtime_error(
        "this program was built without libtorch; build it with PLR_WITH_TORCH=ON, or use the "
        "command plr of the Python package level-replay");
  }
  std::vector<std::string> command = {python, "-P", "-m", "plr.trainer"};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw std::runtime_error(fmt::format("cannot start {}: {}", python, std::strerror(errno)));
}

// A command whose arguments are not parsed here; its own help has them.
CLI::App* add_passed_on(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App* verb = parent.add_subcommand(name, description + " (needs torch)");
  verb->set_help_flag();
  verb->prefix_command();
  verb->callback([verb, &parent, name] {
    std::vector<std::string> words = {name};
    if (parent.get_parent() != nullptr) words.insert(words.begin(), parent.get_name());
    for (const std::string& word : verb->remaining()) words.push_back(word);
    start_trainer(words);
  });
  return verb;
}

}  // namespace

bool is_silent_rank(const std::string&) { return false; }  // no verb of this program runs as ranks

void add_train(CLI::App& program) {
  add_passed_on(program, "train", "train an agent, or resume a run");
}
void add_eval(CLI::App& program) { add_passed_on(program, "eval", "evaluate a trained agent"); }
void add_play(CLI::App& program) {
  add_passed_on(program, "play", "watch an agent play a level")->group("Look");
}
void add_experiment(CLI::App& program) {
  add_passed_on(program, "experiment", "make a set of runs from one file, several at a time");
}
void add_help(CLI::App& program) {
  add_passed_on(program, "help", "explain a verb, a setting or a code such as D6");
}
void add_bench_gpu(CLI::App& bench) {
  add_passed_on(bench, "gpu",
                "which kernels compute each network on this GPU and why, and how fast they are");
}
void add_bench_train(CLI::App& bench) {
  add_passed_on(bench, "train", "training steps per second, and where the time is spent");
}
void add_bench_update(CLI::App& bench) {
  add_passed_on(bench, "update", "the cost of mixreg and DrAC in an update, relative to plain PPO");
}

}  // namespace plr::app

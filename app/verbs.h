// The verbs of the program, in the order of `plr --help`.
//
// Each verb has a file that defines its add function, which declares the arguments and the function
// that handles them.  Verbs print their results to standard output and throw errors (main.cc).
// Without libtorch, without_torch.cc has those that need it.
#pragma once

#include <CLI/CLI.hpp>
#include <array>

namespace plr::app {

void add_train(CLI::App& program);
void add_eval(CLI::App& program);
void add_play(CLI::App& program);
void add_experiment(CLI::App& program);
void add_help(CLI::App& program);
void add_report(CLI::App& program);
void add_envs(CLI::App& program);
void add_levels(CLI::App& program);
void add_check(CLI::App& program);
void add_bench(CLI::App& program);

inline constexpr std::array kVerbs = {add_train, add_eval,   add_play,  add_experiment, add_report,
                                      add_envs,  add_levels, add_check, add_bench,      add_help};

// Thrown by a verb whose result, which it has printed, is a failure: the program exits with 1.
struct Failed {};

}  // namespace plr::app

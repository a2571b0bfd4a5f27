// The verbs of the program, in the order of `plr --help`.
//
// Each verb has a file that defines its add function, which declares the arguments and the function
// that handles them.  Verbs print their results to standard output and throw errors (main.cc).
#pragma once

#include <CLI/CLI.hpp>
#include <array>

namespace plr::app {

#ifdef PLR_WITH_TORCH
void add_train(CLI::App& program);
void add_eval(CLI::App& program);
void add_play(CLI::App& program);
void add_experiment(CLI::App& program);
void add_help(CLI::App& program);
#endif
void add_report(CLI::App& program);
void add_envs(CLI::App& program);
void add_levels(CLI::App& program);
void add_bench(CLI::App& program);

inline constexpr std::array kVerbs = {
#ifdef PLR_WITH_TORCH
    add_train,  add_eval, add_play,   add_experiment,
#endif
    add_report, add_envs, add_levels, add_bench,
#ifdef PLR_WITH_TORCH
    add_help,
#endif
};

}  // namespace plr::app

// Subcommands of plr bench that have files of their own.
#pragma once

#include <CLI/CLI.hpp>

namespace plr::app {

void add_bench_gpu(CLI::App& bench);
void add_bench_procgen(CLI::App& bench);
void add_bench_train(CLI::App& bench);
void add_bench_update(CLI::App& bench);

}  // namespace plr::app

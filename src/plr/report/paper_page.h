// A page in Markdown that puts the numbers of the paper's tables beside ours.
//
// It is made from CSV files in the folder of the experiments:
//   paper/returns.csv    the paper's numbers: table,env,method,mean,deviation,runs. `env` is an
//                        environment, or a family for its returns relative to uniform sampling in %
//   paper/sources.csv    where our runs are: table,envs,plan,planned,results. `envs` is an
//                        environment or a family, `planned` the runs of each method in the
//                        experiment file `plan`, `results` folders that may hold a runs.csv,
//                        separated by spaces
//   RESULTS/runs.csv     our runs (csv_files.h); only finished ones count
//
//   write_text("docs/paper_versus_ours.md", paper_page("experiments"));
//
// The page begins with the numbers that are missing and those that differ by more than two standard
// errors. Thread-safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plr/report/statistics.h"

namespace plr::report {

// (ours - paper) in standard errors of the difference of the means; empty without our runs, or if
// no deviation is known. The deviation of a single run is taken from the paper.
std::optional<double> difference_in_errors(const Summary& ours, const Summary& paper);

// Throws std::runtime_error with file and cause if a file cannot be read, or if two folders of one
// table have a run of the same environment, method and seed.
std::string paper_page(const std::filesystem::path& experiments);

}  // namespace plr::report

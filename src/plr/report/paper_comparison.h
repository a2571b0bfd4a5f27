// The numbers of the paper's tables beside ours.
//
// Both come from CSV files in the folder of the experiments:
//   paper/returns.csv    the paper's numbers: table,env,method,mean,deviation,runs. `env` is an
//                        environment, or a family for its returns relative to uniform sampling in %
//   paper/sources.csv    where our runs are: table,envs,plan,planned,results. `envs` is an
//                        environment or a family, `planned` the runs of each method in the
//                        experiment file `plan`, `results` folders that may hold a runs.csv,
//                        separated by spaces
//   RESULTS/runs.csv     our runs (csv_files.h); only finished ones count
//
//   const PaperComparison paper = compare_with_paper("experiments");
//   paper_page(paper);   // a page of all numbers (paper_page.h)
//
// Copyable. Thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plr/report/behavior_versions.h"
#include "plr/report/statistics.h"

namespace plr::report {

struct PaperNumber {
  std::string table;
  std::string env;  // or a family
  std::string method;
  Summary value;
};

// A number of the paper and ours.
struct ComparedNumber {
  PaperNumber paper;
  Summary ours;             // without runs if it is missing
  std::size_t made = 0;     // runs
  std::size_t planned = 0;  // runs
  // Of a family: the environments of which there are runs, and all.
  std::size_t made_envs = 0;
  std::size_t num_envs = 0;
  // As in the paper: two if all returns of the environment are below 2, else one.
  int decimals = 1;

  bool is_missing() const { return ours.count == 0; }
  // The difference in standard errors; empty if ours is missing or no deviation is known.
  std::optional<double> errors() const;
  bool is_marked() const;  // by more than two standard errors

  bool is_of_family() const;   // a mean over environments
  std::string family() const;  // "MiniGrid"
  // "bigfish", "relative to uniform (%)".
  std::string name() const;
  // "0.85 ± 0.04"; of one run "0.85".
  std::string paper_text() const;
  std::string our_text() const;  // REQUIRES: not is_missing()
};

struct PaperComparison {
  std::vector<ComparedNumber> numbers;  // in the order of paper/returns.csv
  VersionCounts versions;               // the behavior versions of our runs
  // Finished runs of these environments by methods that the paper does not have, a line per folder
  // and method.
  std::vector<std::string> left_out = {};
};

// Throws std::runtime_error with file and cause if a file cannot be read, or if two folders of one
// table have a run of the same environment, method and seed.
PaperComparison compare_with_paper(const std::filesystem::path& experiments);

// (ours - paper) in standard errors of the difference of the means; empty without our runs, or if
// no deviation is known. The deviation of a single run is taken from the paper.
std::optional<double> difference_in_errors(const Summary& ours, const Summary& paper);

}  // namespace plr::report

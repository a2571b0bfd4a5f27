// How does one look at runs?
//
// On a page: one HTML file with its data, charts and pictures inside, which opens anywhere, without
// a network.
//
//   const FoundRuns found = find_runs({"runs"});
//   write_text("report.html", page_of(found, analyze(found.runs), {.title = "plr"}));
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/run_data.h"
#include "plr/report/tables.h"

namespace plr::report {

struct Comparison {
  std::string a;
  std::string b;
};

struct PageOptions {
  std::string title = "Runs";
  std::string version = {};                          // of the program
  std::optional<Comparison> compare = std::nullopt;  // two labels
};

// The tables of a report in their order.
std::vector<Table> tables_of(const Analysis& analysis, const std::optional<Comparison>& compare);

// `found` must have runs, of which `analysis` is.
std::string page_of(const FoundRuns& found, const Analysis& analysis, const PageOptions& options);

// A line per environment, method and point: what the charts of curves show.
std::string curves_csv(const Analysis& analysis);
// A line per run: its settings that differ, and its final numbers.
std::string runs_csv(std::span<const RunData> runs);

}  // namespace plr::report

// A report as one HTML page with its data, charts and pictures inside; it opens without a network.
//
//   const FoundRuns found = find_runs({"runs"});
//   write_text("report.html", html_page(found, analyze(found.runs), {.title = "plr"}));
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "plr/report/analysis.h"
#include "plr/report/run_data.h"
#include "plr/report/tables.h"

namespace plr::report {

struct PageOptions {
  std::string title = "Runs";
  std::string version = {};                          // of the program
  std::optional<Comparison> compare = std::nullopt;  // adds the table of comparison()
  int refresh_seconds = 0;  // how often an open page asks its server for a newer one; 0: never
};

// REQUIRES: `found.runs` is not empty and `analysis` is analyze(found.runs).
std::string html_page(const FoundRuns& found, const Analysis& analysis, const PageOptions& options);

}  // namespace plr::report

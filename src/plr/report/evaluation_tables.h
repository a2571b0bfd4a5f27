// Tables and figures of evaluations on fixed levels: solve rates (solve_rates.h) and the success on
// the worst levels (cvar.h).
//
//   for (const Table& table : evaluation_tables(found.runs, analysis)) ...
//   for (const Figure& figure : evaluation_figures(found.runs, analysis)) {
//     write_text(folder / (figure.id + ".svg"), svg_chart(figure.chart));
//   }
//
// Both are empty for runs without such evaluations. The functions are thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plr/report/analysis.h"
#include "plr/report/svg_chart.h"
#include "plr/report/tables.h"

namespace plr::report {

// Means and standard errors over runs, in percent, with 95 % intervals of the means over levels.
std::vector<Table> evaluation_tables(std::span<const RunData> runs, const Analysis& analysis);

struct Figure {
  std::string id;  // names its file
  Chart chart;
};

// The mean solve rate over environment steps and, where some rollouts are not learned from, over
// gradient updates; the success on the worst levels. Bands are standard errors.
std::vector<Figure> evaluation_figures(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report

// The tables of a report, independent of their format (table_formats.h).
//
//   const Table table = final_returns(analysis);
//   write_text("returns.md", to_markdown(table));
//
// Bold print follows the paper: the best mean and all means not significantly below it. A star
// marks a final return significantly above the baseline's, a triangle an area under the curve
// significantly above the baseline's.
//
// Copyable values; concurrent reads are safe. The functions are thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plr/report/analysis.h"

namespace plr::report {

// Text, or a number if `text` is empty and `value` has a count.
struct Cell {
  std::string text;
  Summary value;
  bool is_bold = false;
  bool has_star = false;      // final return
  bool has_triangle = false;  // area under the curve
};

struct Row {
  std::string name;
  std::vector<Cell> cells;
  int decimals = 2;
  bool is_total = false;  // has a rule above it
};

struct Table {
  std::string id;  // names its file and its HTML element
  std::string title;
  std::string note;
  std::vector<std::string> columns;  // without the column of row names
  std::vector<Row> rows;
};

// Two labels to compare.
struct Comparison {
  std::string a;
  std::string b;
};

// Test returns, one row per environment, followed by the returns relative to the baseline (the
// paper's tables 2 and 4) and, for families of several environments, by means over them.
Table final_returns(const Analysis& analysis);
// The same of training levels, without relative returns.
Table training_returns(const Analysis& analysis);
// Generalization gaps; a star marks a gap significantly smaller than the baseline's.
Table final_gaps(const Analysis& analysis);
// Success rates, returns on the worst tenth of the levels, and interquartile means with intervals.
Table robust_numbers(const Analysis& analysis);
// Two methods in adjacent columns, with the p-values of their differences. Throws
// std::invalid_argument for a label that no run has.
Table comparison(const Analysis& analysis, const Comparison& labels);

// All tables of a report: the comparison if there is one, then the others in the order above, then
// the probabilities of improvement (profiles.h).
std::vector<Table> report_tables(const Analysis& analysis,
                                 const std::optional<Comparison>& compare);

}  // namespace plr::report

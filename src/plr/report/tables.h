// How do numbers become a table of a paper?
//
//   const Table table = final_returns(analysis);
//   to_markdown(table), to_latex(table), to_csv(table), to_html(table)
//
// Bold is the paper's: the best mean and what is not significantly below it.  A star says that the
// final test return is significantly above the baseline's, a triangle that the curve is.
#pragma once

#include <string>
#include <vector>

#include "plr/report/analysis.h"

namespace plr::report {

struct Cell {
  std::string text;  // instead of a number
  Summary value;     // if it has a count
  bool is_bold = false;
  bool has_star = false;      // final return
  bool has_triangle = false;  // sample complexity
};

struct Row {
  std::string name;
  std::vector<Cell> cells;
  int decimals = 2;
  bool is_total = false;  // a line is drawn above it
};

struct Table {
  std::string id;  // of its file and of its place in the page
  std::string title;
  std::string note;
  std::vector<std::string> columns;  // without that of the names
  std::vector<Row> rows;
};

// Test returns, a row per environment and the normalized ones below: the paper's tables 2 and 4.
Table final_returns(const Analysis& analysis);
// Generalization gaps; a star where it is significantly smaller than the baseline's.
Table final_gaps(const Analysis& analysis);
// Success rates, the worst tenth of the levels, and the interquartile mean with its interval.
Table robust_numbers(const Analysis& analysis);
// Two methods side by side with the probabilities that their differences are luck.  Throws
// std::invalid_argument for a label that no run has.
Table comparison(const Analysis& analysis, const std::string& a, const std::string& b);

std::string to_csv(const Table& table);
std::string to_markdown(const Table& table);
std::string to_latex(const Table& table);
std::string to_html(const Table& table);

// A number with this many decimals; a dash for NaN.
std::string decimal(double value, int decimals);
// With <, >, & and quotes made safe.
std::string html_escaped(const std::string& text);
// Between quotes, those inside doubled: a cell of a CSV file.
std::string csv_quoted(const std::string& text);

}  // namespace plr::report

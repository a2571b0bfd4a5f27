// A table (tables.h) as CSV, Markdown, LaTeX (with booktabs) and HTML.
//
// CSV has one line per cell with all digits; the other formats round to Row::decimals.
// Thread-safe.
#pragma once

#include <string>

#include "plr/report/tables.h"

namespace plr::report {

std::string to_csv(const Table& table);
std::string to_markdown(const Table& table);
std::string to_latex(const Table& table);
std::string to_html(const Table& table);

}  // namespace plr::report

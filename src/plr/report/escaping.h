// Escaping of text for HTML, LaTeX, Markdown and CSV, and numbers for CSV. Thread-safe.
#pragma once

#include <string>

namespace plr::report {

// Replaces &, <, >, " and ' by their entities.
std::string html_escaped(const std::string& text);

// Puts a backslash before each of & % $ # _ { }.
std::string latex_escaped(const std::string& text);

// Puts a backslash before |, which ends a table cell.
std::string markdown_escaped(const std::string& text);

// A CSV cell: the text in quotes, with the quotes in it doubled.
std::string csv_quoted(const std::string& text);
// In quotes only if it has a comma, a quote or a line break.
std::string csv_cell(const std::string& text);
// With all digits; empty for NaN and infinity.
std::string csv_number(double value);

}  // namespace plr::report

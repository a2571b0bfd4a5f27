// Tables of Markdown documents that have the paper's numbers beside ours, kept current by a
// program.
//
// Two comments mark the place of a table. The first one names the table of the paper, the methods,
// a pair of columns each, and the families of environments whose rows it has:
//
//   <!-- paper table: 2; uniform, plr; MiniGrid, Procgen (easy) -->
//   <!-- end of paper table -->
//
// Our number is "-" if it is missing and bold if it is more than two standard errors from the
// paper's. The last column has the number of our runs of each method.
//
//   write_text("README.md", with_current_tables(read_text("README.md"), "README.md", comparison));
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "plr/report/paper_comparison.h"

namespace plr::report {

// The document with its tables replaced; everything else is unchanged. `source` names it in
// messages. Throws std::runtime_error "SOURCE:LINE: what is wrong" if a comment is wrong or its end
// is missing, or "SOURCE: ..." if there is no table.
std::string with_current_tables(std::string_view document, const std::string& source,
                                const PaperComparison& comparison);

}  // namespace plr::report

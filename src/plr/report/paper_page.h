// A page in Markdown that puts the numbers of the paper's tables beside ours.
//
//   write_text("docs/paper_versus_ours.md", paper_page(compare_with_paper("experiments")));
//
// The page begins with the numbers that are missing and those that differ by more than two standard
// errors. Thread-safe.
#pragma once

#include <string>

#include "plr/report/paper_comparison.h"

namespace plr::report {

std::string paper_page(const PaperComparison& comparison);

}  // namespace plr::report

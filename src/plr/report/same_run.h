// Whether two entries of a report are the same run: a run folder and its copy, an older state of it
// or an export of it.
//
// They are if their settings are equal, those of the machine, of evaluation and of checkpoints
// aside, and so are their returns wherever both were evaluated. The budget may differ if their
// folders have the same name, since a run can be extended. Two runs of one seed whose returns
// differ, such as on a CPU and on a GPU, are different runs.
//
//   if (is_same_run(run, kept) && is_further(run, kept)) kept = run;
//
// Functions without state; thread-safe.
#pragma once

#include "plr/report/run_data.h"

namespace plr::report {

bool is_same_run(const RunData& a, const RunData& b);

// Of two entries of one run: whether `a` alone is finished, or else has more steps.
bool is_further(const RunData& a, const RunData& b);

}  // namespace plr::report

// Makes the unfinished runs of an experiment in the packing that is fastest for them.
//
// Every packing that the search tries is a session (session.h). When the session's speed has been
// measured, its runs save and stop, and resume in a session with the next packing; the session with
// the chosen packing continues until all runs are finished. If little work is left, the search ends
// early. A run that fails after the first packing, for example because the memory of the GPU is
// full, ends the trial, and is repeated in another packing.
//
//   PackingSearch search(packings(16, 1, 100), {8, 4});
//   const SessionsEnd end = run_packed_sessions(jobs, options, search, {});
//
// A function without state; not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plr/experiment/packing.h"
#include "plr/experiment/run_job.h"
#include "plr/experiment/session.h"

namespace plr::experiment {

struct SessionsEnd {
  std::vector<std::string> failures;  // a line each
  std::size_t num_finished = 0;       // of all jobs
};

struct TrialOptions {
  std::function<void()> chosen = {};  // called when the search ends
  WindowLength window = {};
  double worthwhile_seconds = 600;  // with less work left, no other packing is tried
};

// Replaces options.packing by those of the search.
SessionsEnd run_packed_sessions(std::vector<RunJob>& jobs, SessionOptions options,
                                PackingSearch& search, const SessionCallbacks& callbacks,
                                const TrialOptions& trials = {});

}  // namespace plr::experiment

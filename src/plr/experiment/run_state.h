// The progress of a run, read from the files in its folder.
//
// Free functions without state; thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>

namespace plr::experiment {

struct RunState {
  bool has_started = false;  // it can be resumed
  bool is_finished = false;  // the final evaluation is done
  std::int64_t steps = 0;    // of the newest checkpoint
};

// Reads the newest checkpoint and the last records.  A checkpoint that cannot be read counts as
// none: resuming the run reports the error.
RunState read_saved_state(const std::filesystem::path& folder);

struct LoggedState {
  std::int64_t steps = 0;
  double steps_per_second = 0;
};

// Reads the last complete record of the log, also while the run writes it; zeros if there is none.
LoggedState read_logged_state(const std::filesystem::path& folder);

}  // namespace plr::experiment

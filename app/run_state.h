// How far is the run in a folder?
#pragma once

#include <cstdint>
#include <filesystem>

namespace plr::app {

struct RunState {
  bool has_begun = false;    // it can be resumed
  bool is_finished = false;  // the final evaluation is done
  std::int64_t steps = 0;    // that will not have to be made again
};

// By the newest checkpoint, and is_finished() of run/records.h.
RunState saved_state(const std::filesystem::path& folder);

// What the log's last record says, while the run goes on; zeros where there is none.
struct LoggedState {
  std::int64_t steps = 0;
  double steps_per_second = 0;
};
LoggedState logged_state(const std::filesystem::path& folder);

}  // namespace plr::app

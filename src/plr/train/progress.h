// Progress of a training run, for displays and log records.
//
// A copyable value; concurrent reads are safe.
#pragma once

#include <cstdint>
#include <optional>

namespace plr::train {

struct Progress {
  std::int64_t update = 0;
  std::int64_t num_updates = 0;
  std::int64_t steps = 0;
  double seconds = 0;           // since this process started
  double steps_per_second = 0;  // of this process
  std::uint64_t num_episodes = 0;
  double train_return = 0;  // mean of the last 100 training episodes, as the curriculum chose them
  double train_success = 0;
  std::optional<double> test_return = {};  // of the last evaluation in this process
  std::optional<double> test_success = {};
};

}  // namespace plr::train

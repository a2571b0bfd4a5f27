// The facts in a checkpoint of a run (Checkpoint::facts): steps done, whether the run is final, and
// the sizes of its logs.
//
//   checkpoint.facts = CheckpointFacts{.steps = 98304, .sizes = files.sync()};
//   const CheckpointFacts facts = load_run_facts("runs/a");
//
// Copyable values; concurrent reads are safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace plr::run {

// In bytes, at the checkpoint.
struct LogSizes {
  std::uint64_t log = 0;
  std::uint64_t eval = 0;
  std::uint64_t levels = 0;
  std::uint64_t events = 0;
};

struct CheckpointFacts {
  std::int64_t steps = 0;
  bool is_final = false;  // the final evaluation is done
  LogSizes sizes = {};
};

// The names in JSON are those of the members.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LogSizes, log, eval, levels, events)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointFacts, steps, is_final, sizes)

}  // namespace plr::run

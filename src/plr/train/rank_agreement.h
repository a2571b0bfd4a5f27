// What all ranks of a run must have in common: its settings, and what rank 0 reads from its folder.
//
//   const TrainConfig config = resolve(given, *world);
//   const std::string text = from_first(*world, [&] { return read_text(path); });
//
// Only rank 0 reads and writes the folder of a run.  Every function is called by all ranks in the
// same order, and throws collect::RankLost if a rank has failed.  Not thread-safe.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "plr/distributed/world.h"
#include "plr/run/checkpoint.h"
#include "plr/train/config.h"

namespace plr::train {

// An error that rank 0 reports: other ranks exit without a message.
class ReportedByFirst : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The settings with everything that depends on the machine and the number of ranks decided.  Throws
// std::invalid_argument if the ranks cannot share the run, or if their settings or programs differ.
TrainConfig resolve(TrainConfig config, distributed::World& world);

// The text that f() returns on rank 0, on all ranks.  If it throws, all ranks throw.
std::string from_first(distributed::World& world, const std::function<std::string()>& f);

// The checkpoint of rank 0 on all ranks, loaded by `load` there.
run::Checkpoint share_checkpoint(distributed::World& world,
                                 const std::function<run::Checkpoint()>& load);

}  // namespace plr::train

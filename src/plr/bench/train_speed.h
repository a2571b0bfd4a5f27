// Training steps per second, and the share of time of each part.
//
//   train::TrainConfig config = train::preset("minigrid-multiroom");
//   measure_training(5, config).steps_per_second;
//
// Values are copyable. Not thread-safe: libtorch is configured for the whole process.
#pragma once

#include <cstdint>
#include <memory>

#include "plr/distributed/world.h"
#include "plr/train/config.h"
#include "plr/train/trainer.h"

namespace plr::bench {

struct TrainSpeed {
  std::int64_t steps = 0;
  double steps_per_second = 0;
  // Shares of the time, from 0 to 1.
  double acting = 0;
  double environment = 0;
  double sampler = 0;
  double update = 0;
  double rest = 0;
  double exchange = 0;  // of these, waiting for other ranks and exchanging with them
};

// The speed of `steps` steps between two times of a run.
TrainSpeed speed_between(const train::TrainTimes& begin, const train::TrainTimes& end,
                         std::int64_t steps);

// Trains for this many updates, after one that warms up, in a temporary folder. `config` receives
// the settings that the run chose for this machine, such as its device. Called by all ranks of
// `world`; the shares are those of this one.
TrainSpeed measure_training(
    int updates, train::TrainConfig& config,
    const std::shared_ptr<distributed::World>& world = distributed::World::alone());

}  // namespace plr::bench

// Who came out of a run?
//
//   const SavedAgent agent = load_agent("runs/first", 1);
//   Evaluator evaluator(*agent.env, agent.network);
//
// Movable.  Not synchronized.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "plr/env/vector_env.h"
#include "plr/learn/network.h"
#include "plr/train/config.h"

namespace plr::train {

struct SavedAgent {
  TrainConfig config;
  std::int64_t update = 0;         // how many it has learnt from
  std::unique_ptr<VectorEnv> env;  // the one it trained in, with slots of its own
  learn::Network network;
};

// From the newest checkpoint of the run in a folder, with `num_slots` environments to play in.
// Throws std::invalid_argument if there is no run, std::runtime_error if its checkpoint is missing
// or damaged.
SavedAgent load_agent(const std::filesystem::path& run, int num_slots);

}  // namespace plr::train

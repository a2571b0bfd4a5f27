// Loads the trained agent of a run.
//
//   const SavedAgent agent = load_agent("runs/first", 1);
//   Evaluator evaluator(*agent.env, *agent.backend);
//
// Movable, not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"
#include "plr/train/config.h"

namespace plr::train {

struct SavedAgent {
  TrainConfig config;
  std::int64_t update = 0;         // updates it has been trained for
  std::unique_ptr<VectorEnv> env;  // the environment it was trained in
  std::unique_ptr<learn::Backend> backend;
  std::string note = {};  // a line for the user if its plug-in has changed, else empty
};

// Loads the newest checkpoint of the run in a folder; `env` gets `num_slots` slots. On a machine
// without CUDA the network runs on the CPU. Throws std::invalid_argument if there is no run,
// std::runtime_error if its checkpoint is missing or damaged.
SavedAgent load_agent(const std::filesystem::path& run, int num_slots);

}  // namespace plr::train

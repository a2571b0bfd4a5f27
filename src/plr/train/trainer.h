// How is an agent trained?
//
//   Trainer trainer(config, "runs/first");          // or Trainer::resume("runs/first")
//   trainer.run({});
//
// The loop (trainer.cc, run) collects a rollout, learns from it, and writes down what happened.  A
// run that is stopped, or killed at any moment, resumes from its last checkpoint and goes on with
// the same bytes as if nothing had happened: weights, moments, curriculum, reward statistics,
// random streams, running episodes and their scores so far are all in there.
//
// Not copied, not synchronized.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "plr/train/config.h"

namespace plr::train {

// Where a run stands, for whoever watches.
struct Progress {
  std::int64_t update = 0;
  std::int64_t num_updates = 0;
  std::int64_t steps = 0;
  double seconds = 0;           // of this process
  double steps_per_second = 0;  // of this process
  std::uint64_t num_episodes = 0;
  double train_return = 0;  // of the last 100 training episodes, as the curriculum chose them
  double train_success = 0;
  std::optional<double> test_return;  // of the last evaluation
  std::optional<double> test_success;
};

// Of this process, in seconds.
struct TrainTimes {
  double acting = 0;
  double environment = 0;
  double sampler = 0;
  double update = 0;
  double total = 0;
};

// How a run is watched and stopped.
struct Watch {
  std::function<void(const Progress&)> updated = {};  // after every update
  // Asked after every update, and at every step of the final evaluation.
  std::function<bool()> should_stop = {};
};

class Trainer {
 public:
  // A new run.  Throws std::invalid_argument if a setting cannot be or the folder holds a run
  // already; nothing is written then.
  Trainer(const TrainConfig& config, const std::filesystem::path& folder);
  // Goes on from the folder's newest checkpoint, perhaps to another number of steps.  Throws
  // std::invalid_argument if there is no run, std::runtime_error if its checkpoint is damaged.
  static Trainer resume(const std::filesystem::path& folder,
                        std::optional<std::int64_t> steps = std::nullopt);
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  // Trains until the steps are done or the watcher wants to stop, and saves.  True if all is done:
  // the final evaluation has been made.
  bool run(const Watch& watch);

  const TrainConfig& config() const;
  Progress progress() const;
  TrainTimes times() const;

 private:
  class Run;
  explicit Trainer(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

// The settings of the run in a folder.  Throws std::invalid_argument if there is none.
TrainConfig config_of_run(const std::filesystem::path& folder);

}  // namespace plr::train

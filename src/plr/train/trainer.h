// Trains an agent and writes a run's folder (run/layout.h).
//
//   Trainer trainer(config, "runs/first");          // or Trainer::resume("runs/first")
//   trainer.run({});
//
// The loop (trainer.cc, run) collects a rollout, learns from it and records the result. A run that
// is stopped, or killed at any moment, resumes from its last checkpoint and continues bitwise
// identically to a run without interruption (train/checkpoint_parts.h lists the saved state).
//
// Several processes can train one run together, as ranks (distributed/world.h): every rank makes a
// trainer with the same settings and calls the same functions. Rank 0 writes the folder; other
// ranks need not see it. The run is bitwise identical for every number of ranks that divides its
// shards (train/rank_share.h).
//
// Movable, not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plr/base/open_file.h"
#include "plr/distributed/world.h"
#include "plr/train/config.h"
#include "plr/train/progress.h"

namespace plr::train {

// Where the time of this process went, in seconds.
struct TrainTimes {
  double acting = 0;
  double environment = 0;
  double sampler = 0;
  double update = 0;
  double total = 0;
  double exchange = 0;  // of these, in calls that wait for other ranks
};

// Callbacks of Trainer::run, all optional.
struct Watch {
  std::function<void(const Progress&)> updated = {};  // called after every update
  // Called at every step of the final evaluation, with the fraction that is done.
  std::function<void(double fraction)> evaluated = {};
  // Called at every step of a survey of SFL, with the fraction that is done, first 0.
  std::function<void(double fraction)> surveyed = {};
  // Called after every update and at every step of surveys and of the final evaluation; true stops
  // the run.
  std::function<bool()> should_stop = {};
};

// Settings that a resumed run may have other values of; the others are those of the run.
struct ResumeSettings {
  std::optional<std::int64_t> steps = {};
  std::optional<int> num_workers = {};
};

class TrainingRun;  // training_run.h

class Trainer {
 public:
  // Begins a new run. Throws std::invalid_argument if a setting is invalid or the folder already
  // holds a run; nothing is written then. Unless it is told otherwise, a trainer refuses a folder
  // whose file system has no locks.
  Trainer(const TrainConfig& config, const std::filesystem::path& folder,
          Locking locking = Locking::kRequired,
          std::shared_ptr<distributed::World> world = distributed::World::alone());
  // Continues from the newest checkpoint in the folder, and saves changed settings in its
  // config.toml. Throws std::invalid_argument if there is no run, if it has done more steps or if
  // its settings were edited; std::runtime_error if its checkpoint is damaged or its logs were
  // changed.
  static Trainer resume(const std::filesystem::path& folder, const ResumeSettings& changed = {},
                        Locking locking = Locking::kRequired,
                        std::shared_ptr<distributed::World> world = distributed::World::alone());
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  // Trains until the steps are done or `watch` stops it, then saves. Returns true if the final
  // evaluation is done.
  bool run(const Watch& watch);

  const TrainConfig& config() const;
  Progress progress() const;
  TrainTimes times() const;
  // Lines that the user should see: that libtorch computes the network although native kernels were
  // allowed; that the run was begun by a program of another behavior version, or on another device.
  std::vector<std::string> notes() const;

 private:
  explicit Trainer(std::unique_ptr<TrainingRun> run);
  std::unique_ptr<TrainingRun> run_;
};

}  // namespace plr::train

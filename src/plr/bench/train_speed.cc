#include "plr/bench/train_speed.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace plr::bench {
namespace {

// A new folder with an unpredictable name, removed at the end of the scope. Not copyable.
class RemovedFolder {
 public:
  RemovedFolder() {
    std::string name = std::filesystem::temp_directory_path() / "plr-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~RemovedFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  RemovedFolder(const RemovedFolder&) = delete;
  RemovedFolder& operator=(const RemovedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TrainSpeed speed_between(const train::TrainTimes& begin, const train::TrainTimes& end,
                         std::int64_t steps) {
  const double seconds = end.total - begin.total;
  TrainSpeed speed = {.steps = steps,
                      .steps_per_second = static_cast<double>(steps) / seconds,
                      .acting = (end.acting - begin.acting) / seconds,
                      .environment = (end.environment - begin.environment) / seconds,
                      .sampler = (end.sampler - begin.sampler) / seconds,
                      .update = (end.update - begin.update) / seconds,
                      .exchange = (end.exchange - begin.exchange) / seconds};
  speed.rest = 1 - speed.acting - speed.environment - speed.sampler - speed.update;
  return speed;
}

TrainSpeed measure_training(int updates, train::TrainConfig& config,
                            const std::shared_ptr<distributed::World>& world) {
  const std::int64_t batch = train::steps_per_update(config);
  config.schedule.steps = batch * (updates + 1);
  config.schedule.eval_interval = 0;
  config.schedule.final_episodes = 1;
  config.schedule.levels_interval = 1 << 20;
  config.schedule.checkpoint_interval = 1 << 20;

  const RemovedFolder folder;
  train::Trainer trainer(config, folder.path(), Locking::kRequired, world);
  config = trainer.config();
  train::TrainTimes warm;
  train::TrainTimes end;
  trainer.run({.updated = [&](const train::Progress& p) {
    if (p.update == 1) warm = trainer.times();
    if (p.update == p.num_updates) end = trainer.times();
  }});
  return speed_between(warm, end, batch * updates);
}

}  // namespace plr::bench

#include "plr/train/trainer.h"

#include <string>
#include <utility>

#include "plr/base/files.h"
#include "plr/catalog/plugins.h"
#include "plr/learn/kernel_choice.h"
#include "plr/run/behavior_version.h"
#include "plr/run/layout.h"
#include "plr/run/settings_file.h"
#include "plr/train/rank_agreement.h"
#include "plr/train/run_settings.h"
#include "plr/train/training_run.h"

namespace plr::train {

namespace layout = run::layout;

namespace {

// Sets every field by the text that to_toml() wrote, and loads the plug-in that it names.
void set_all(TrainConfig& config, const std::string& text) {
  for (const run::Setting& setting : run::parse_flat_settings(text, std::string(layout::kConfig))) {
    set(config, setting.name, setting.value);
  }
  const std::string& plugin = config.task.plugin;
  if (!plugin.empty()) catalog::load_plugin(plugin, catalog::NamedBy::kRun);
}

}  // namespace

bool Trainer::run(const Watch& watch) {
  TrainingRun& r = *run_;
  while (r.update < num_updates(r.config)) {
    if (!r.play_rollout({.progressed = watch.surveyed, .should_stop = watch.should_stop})) break;
    const std::optional<learn::PpoStats> stats = r.update_agent();
    r.record(stats);
    if (watch.updated) watch.updated(r.progress());
    if (r.agree_to_stop(watch.should_stop)) break;
  }
  if (r.update == num_updates(r.config)) {
    r.finish(watch);
  } else if (!r.is_saved()) {
    r.save();
  }
  return r.is_final;
}

Trainer::Trainer(std::unique_ptr<TrainingRun> run) : run_(std::move(run)) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;

Trainer::Trainer(const TrainConfig& config, const std::filesystem::path& folder, Locking locking,
                 std::shared_ptr<distributed::World> world) {
  from_first(*world, [&] {
    expect_no_run(folder);
    return "";
  });
  run_ = std::make_unique<TrainingRun>(config, folder, std::move(world));
  run_->begin(locking);
}

Trainer Trainer::resume(const std::filesystem::path& folder, const ResumeSettings& changed,
                        Locking locking, std::shared_ptr<distributed::World> world) {
  TrainConfig config;
  const std::string settings =
      from_first(*world, [&] { return to_toml(config = config_of_run(folder)); });
  if (!world->is_first()) set_all(config, settings);
  if (changed.steps) config.schedule.steps = *changed.steps;
  if (changed.num_workers) config.env.num_workers = *changed.num_workers;
  const bool is_first = world->is_first();
  auto run = std::make_unique<TrainingRun>(config, folder, std::move(world));
  run->resume(locking);
  if (is_first && (changed.steps || changed.num_workers)) {
    write_text(folder / layout::kConfig, to_toml(run->config));
  }
  return Trainer(std::move(run));
}

const TrainConfig& Trainer::config() const { return run_->config; }
Progress Trainer::progress() const { return run_->progress(); }
std::vector<std::string> Trainer::notes() const {
  std::vector<std::string> lines = run_->share.notes();
  const std::string kernels =
      learn::libtorch_note(run_->backend->network(), run_->config.compute.kernels);
  if (!kernels.empty()) lines.push_back(kernels);
  const std::string no_update = no_update_note(run_->config);
  if (!no_update.empty()) lines.push_back(no_update);
  if (run_->resumed_version != run::kBehaviorVersion) {
    lines.push_back("this run was begun with behavior version " +
                    std::to_string(run_->resumed_version) + "; version " +
                    std::to_string(run::kBehaviorVersion) +
                    " continues it, so that it is not the run of either version (CHANGELOG.md)");
  }
  lines.insert(lines.end(), run_->setting_notes.begin(), run_->setting_notes.end());
  return lines;
}

TrainTimes Trainer::times() const {
  const collect::CollectTimes& collect = run_->collector.times();
  return {.acting = collect.acting.count(),
          .environment = collect.environment.count(),
          .sampler = collect.sampler.count(),
          .update = run_->learning.count(),
          .total = run_->seconds(),
          .exchange = run_->share.world().time().count()};
}

}  // namespace plr::train

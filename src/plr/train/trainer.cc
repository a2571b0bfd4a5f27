#include "plr/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/collect/collector.h"
#include "plr/core/level_store.h"
#include "plr/learn/backend.h"
#include "plr/learn/kernel_choice.h"
#include "plr/learn/regularizers.h"
#include "plr/run/behavior_version.h"
#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"
#include "plr/run/run_files.h"
#include "plr/train/agent.h"
#include "plr/train/checkpoint_parts.h"
#include "plr/train/curricula.h"
#include "plr/train/evaluator.h"
#include "plr/train/planned_rollouts.h"
#include "plr/train/run_recorder.h"
#include "plr/train/run_settings.h"
#include "plr/train/survey.h"
#include "plr/train/test_env.h"
#include "plr/train/training_levels.h"

namespace plr::train {
namespace {

namespace layout = run::layout;

constexpr std::int64_t kLevelPictures = 40;  // of a run, at evaluations; TensorBoard shows them

// An environment of the run's settings whose stored levels are in `store`.
std::unique_ptr<VectorEnv> make_env(const TrainConfig& config, int num_slots,
                                    std::shared_ptr<const LevelStore> store) {
  EnvOptions options = config.env;
  options.num_slots = num_slots;
  options.store = std::move(store);
  return catalog::make_env(config.task.env, options);
}

TrainConfig checked(TrainConfig config) {
  check(config);
  config.compute = learn::resolve_auto(config.compute);
  return config;
}

// Throws std::invalid_argument for settings that a recurrent network cannot have.
void check_recurrent(const learn::Network& network, const TrainConfig& config) {
  if (!network.is_recurrent()) return;
  if (config.mixreg.alpha > 0 || config.drac.enabled) {
    throw std::invalid_argument(
        "network must not be lstm with mixreg or drac, which change single observations");
  }
  if (config.ppo.num_minibatches > config.env.num_slots) {
    throw std::invalid_argument(
        "num_minibatches must be at most num_slots, " + std::to_string(config.env.num_slots) +
        ", with a recurrent network, whose mini-batches are whole slots, not " +
        std::to_string(config.ppo.num_minibatches));
  }
}

void expect_no_run(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / layout::kConfig)) {
    throw std::invalid_argument(folder.string() +
                                " holds a run already; continue it with --resume " +
                                folder.string() + ", or name another folder");
  }
  if (run::RunFiles::has_records(folder)) {
    throw std::invalid_argument(folder.string() +
                                " holds logs of another run; remove them, or name another folder");
  }
}

}  // namespace

// The parts of a run, constructed from its settings. Each part that draws random numbers has a
// named stream of its own (base/random.h).
class Trainer::Run {
 public:
  Run(const TrainConfig& given, const std::filesystem::path& path)
      : config(checked(given)),
        streams(config.schedule.seed),
        device(configure(config.compute)),
        env(make_env(config, config.env.num_slots, store)),
        eval_env(make_env(config, evaluation_slots(config.schedule.eval_episodes), store)),
        test_env(make_test_env(config, env->spec())),
        levels(training_levels(config.task.levels, env->spec())),
        curriculum(make_curriculum(config, levels,
                                   catalog::level_tools(config.task.env, config.env, store),
                                   streams.named("levels"))),
        backend(
            learn::make_backend(make_network(config, env->spec(), streams.named("init"), device),
                                config.compute.kernels)),
        scorer(config.scorer, num_slots(), rollout_length()),
        normalizer(config.rewards, num_slots()),
        rollout({rollout_length(), num_slots()}, backend->network().shape(), device,
                backend->network().state_size()),
        regularizers(config.mixreg, config.drac, backend->network().shape(), device, streams),
        ppo(*backend, config.ppo, streams.named("minibatches")),
        inference(backend->make_inference({.score_function = config.scorer.score_function},
                                          num_slots(), rollout.tensors())),
        collector({*env, curriculum.per_episode.get(), curriculum.per_episode ? &scorer : nullptr,
                   normalizer, *inference},
                  streams.named("actions"), rollout_length()),
        recorder({streams, *env, *eval_env, test_env.get(), *store, levels, curriculum.any(),
                  normalizer, *backend, regularizers, collector}),
        folder(path) {
    check_recurrent(backend->network(), config);
    ppo.set_hooks(regularizers.hooks());
    if (curriculum.per_rollout) {
      planned.emplace(PlannedRollouts::Parts{*curriculum.per_rollout, collector, *store},
                      Discounts{config.scorer.gamma, config.scorer.gae_lambda});
    }
  }

  // Writes files last, so that a failure leaves nothing, and config.toml after all others, so that
  // a folder that has one can be resumed.
  void begin(Locking locking);
  void resume(Locking locking);
  // Plays a rollout. False if `should_stop` stopped a survey before it; nothing has changed then.
  bool play_rollout(const std::function<bool()>& should_stop);
  // Returns nothing if the curriculum wants the agent not to learn from the rollout.
  std::optional<learn::PpoStats> update_agent();
  // Logs, evaluates and saves when due.
  void record(const std::optional<learn::PpoStats>& stats);
  // Makes the final evaluation, which may take long. A stopped one starts over on resume.
  void finish(const Watch& watch);
  void save();
  Progress progress() const;

  bool is_saved() const { return saved_update_ == update; }
  double seconds() const {
    return collect::Seconds(std::chrono::steady_clock::now() - started_).count();
  }

  TrainConfig config;
  Streams streams;
  at::Device device;
  std::shared_ptr<LevelStore> store = std::make_shared<LevelStore>();
  std::unique_ptr<VectorEnv> env;
  std::unique_ptr<VectorEnv> eval_env;
  std::unique_ptr<VectorEnv> test_env;  // null: eval_env
  LevelSet levels;
  RunCurriculum curriculum;
  std::unique_ptr<learn::Backend> backend;
  EpisodeScorer scorer;
  RewardNormalizer normalizer;
  learn::Rollout rollout;
  learn::Regularizers regularizers;
  learn::Ppo ppo;
  std::unique_ptr<collect::Inference> inference;
  collect::Collector collector;
  RunRecorder recorder;
  std::optional<PlannedRollouts> planned;  // if the curriculum decides per rollout
  std::filesystem::path folder;
  std::optional<run::RunFiles> files;

  std::int64_t update = 0;
  std::int64_t gradient_updates = 0;                     // of these, the agent has learned from
  bool is_final = false;                                 // the final evaluation is done
  std::int64_t resumed_version = run::kBehaviorVersion;  // of the checkpoint, if resumed
  std::vector<std::string> setting_notes;                // of a resumed run
  collect::Seconds learning{};

 private:
  std::size_t num_slots() const { return static_cast<std::size_t>(config.env.num_slots); }
  std::size_t rollout_length() const {
    return static_cast<std::size_t>(config.schedule.rollout_length);
  }
  std::int64_t steps() const { return update * steps_per_update(config); }
  CheckpointParts checkpoint_parts() {
    return {curriculum.any(),
            curriculum.per_rollout ? store.get() : nullptr,
            scorer,
            normalizer,
            regularizers,
            collector,
            ppo,
            rollout};
  }
  // The success rates of levels; nothing if it was stopped.
  std::optional<std::vector<double>> survey_levels(std::span<const LevelId> asked,
                                                   const std::function<bool()>& should_stop);
  // Every setting, for TensorBoard.
  std::vector<run::Setting> settings() const;
  // False if it was stopped; then nothing is recorded.
  bool evaluate(std::int64_t num_episodes, bool is_last, const EvaluationWatch& watch);

  std::unique_ptr<VectorEnv> survey_env_;  // made when it is needed first
  std::int64_t first_update_ = 0;          // of this process
  std::int64_t saved_update_ = -1;
  std::optional<double> test_return_;
  std::optional<double> test_success_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

bool Trainer::run(const Watch& watch) {
  Run& r = *run_;
  while (r.update < num_updates(r.config)) {
    if (!r.play_rollout(watch.should_stop)) break;
    const std::optional<learn::PpoStats> stats = r.update_agent();
    r.record(stats);
    if (watch.updated) watch.updated(r.progress());
    if (watch.should_stop && watch.should_stop()) break;
  }
  if (r.update == num_updates(r.config)) {
    r.finish(watch);
  } else if (!r.is_saved()) {
    r.save();
  }
  return r.is_final;
}

void Trainer::Run::begin(Locking locking) {
  if (curriculum.per_episode) collector.begin();
  const bool is_new = !std::filesystem::exists(folder);
  make_directories(folder);
  files.emplace(folder, locking);
  expect_no_run(folder);  // no other process can begin one while the files are open
  try {
    files->begin(settings());
    save();
    write_text(folder / layout::kConfig, to_toml(config));
  } catch (...) {
    files.reset();
    std::error_code ignored;
    if (is_new) std::filesystem::remove_all(folder, ignored);
    throw;
  }
}

void Trainer::Run::resume(Locking locking) {
  files.emplace(folder, locking);  // no other process can resume the run from here on
  const run::Checkpoint checkpoint = run::load_checkpoint(folder / layout::kCheckpoints);
  update = checkpoint.update;
  first_update_ = update;
  saved_update_ = update;
  if (config.schedule.steps < steps()) {
    throw std::invalid_argument("steps must be at least " + std::to_string(steps()) + ", which " +
                                folder.string() + " has done already, not " +
                                std::to_string(config.schedule.steps));
  }
  restore_checkpoint(checkpoint, checkpoint_parts(), folder);
  const auto facts = checkpoint.facts.get<run::CheckpointFacts>();
  gradient_updates = facts.gradient_updates.value_or(update);
  is_final = facts.is_final && update >= num_updates(config);
  resumed_version = facts.behavior_version;
  setting_notes = compare_with_checkpoint(config, facts.settings, folder);
  files->truncate_to(facts.sizes, checkpoint.log_seals);
  files->describe(settings());  // again if no event is left
  // Of a killed process; a finished run does not save again.
  run::remove_leftovers(folder / layout::kCheckpoints);
  for (const auto name : {layout::kConfig, layout::kLevelTable}) {
    remove_temporary_files(folder / name);
  }
}

bool Trainer::Run::play_rollout(const std::function<bool()>& should_stop) {
  if (!planned) {
    collector.fill(rollout);
    return true;
  }
  return planned->play(
      rollout, [&](std::span<const LevelId> asked) { return survey_levels(asked, should_stop); });
}

std::optional<std::vector<double>> Trainer::Run::survey_levels(
    std::span<const LevelId> asked, const std::function<bool()>& should_stop) {
  const auto num_levels = static_cast<std::int64_t>(asked.size());
  const std::int64_t num_survey_slots = std::min(config.sfl.survey_slots, num_levels);
  if (!survey_env_) survey_env_ = make_env(config, static_cast<int>(num_survey_slots), store);
  std::vector<double> rates;
  for (const SurveyedLevel& level :
       survey(*survey_env_, *backend, asked, config.sfl.survey_steps,
              streams.named("survey/" + std::to_string(update)), should_stop)) {
    rates.push_back(level.success_rate());
  }
  return rates.empty() ? std::nullopt : std::optional(std::move(rates));
}

std::optional<learn::PpoStats> Trainer::Run::update_agent() {
  const collect::Stopwatch watch(learning);
  std::optional<learn::PpoStats> stats;
  if (!planned || planned->plan().learn) {
    learn::compute_advantages(rollout, config.scorer.gamma, config.scorer.gae_lambda);
    ppo.set_learning_rate(learning_rate_of(config, gradient_updates));
    stats = ppo.update(rollout);
    ++gradient_updates;
  }
  ++update;
  return stats;
}

void Trainer::Run::record(const std::optional<learn::PpoStats>& stats) {
  const Progress now = progress();
  run::LogRecord log = recorder.log_record(now, stats);
  if (planned) {
    log.gradient_updates = gradient_updates;
    log.rollout_kind = to_text(planned->plan().kind);
    log.unmeasured_levels = planned->num_unmeasured();
  }
  files->append(log);
  const ScheduleConfig& schedule = config.schedule;
  if (update % schedule.levels_interval == 0) files->append(recorder.levels_record(now));
  if (schedule.eval_interval > 0 && update % schedule.eval_interval == 0) {
    evaluate(schedule.eval_episodes, false, {});
  }
  if (update % schedule.checkpoint_interval == 0) save();
}

void Trainer::Run::finish(const Watch& watch) {
  if (is_final) return;
  if (!is_saved()) save();
  const EvaluationWatch evaluation = {.progressed = watch.evaluated,
                                      .should_stop = watch.should_stop};
  if (!evaluate(config.schedule.final_episodes, true, evaluation)) return;
  is_final = true;
  files->finish();
  save();
}

std::vector<run::Setting> Trainer::Run::settings() const {
  return run::parse_flat_settings(to_toml(config), std::string(layout::kConfig));
}

bool Trainer::Run::evaluate(std::int64_t num_episodes, bool is_last, const EvaluationWatch& watch) {
  const auto record = recorder.evaluate(progress(), num_episodes, is_last, watch);
  if (!record) return false;
  test_return_ = record->test_return;
  test_success_ = record->test_success;
  files->append(*record);
  const std::int64_t interval = config.schedule.eval_interval;
  const auto part = [&](std::int64_t at) { return kLevelPictures * at / num_updates(config); };
  if (is_last || part(update) > part(update - interval)) {
    if (const auto picture = recorder.level_picture()) files->append(steps(), *picture);
  }
  return true;
}

// The checkpoint is written last: a run that is killed before it repeats everything after the
// previous one.
void Trainer::Run::save() {
  if (planned) planned->drop_unused_levels();
  write_text(folder / layout::kLevelTable, run::level_table_to_csv(recorder.level_table()));
  run::Checkpoint checkpoint = compose_checkpoint(checkpoint_parts());
  checkpoint.update = update;
  checkpoint.facts = run::CheckpointFacts{.steps = steps(),
                                          .is_final = is_final,
                                          .gradient_updates = gradient_updates,
                                          .sizes = files->sync(),
                                          .behavior_version = run::kBehaviorVersion,
                                          .settings = values_of(config)};
  checkpoint.log_seals = files->seals();
  run::save_checkpoint(folder / layout::kCheckpoints, checkpoint);
  saved_update_ = update;
}

Progress Trainer::Run::progress() const {
  const collect::EpisodeWindow& episodes = collector.episodes();
  const double elapsed = seconds();
  const auto steps_here = static_cast<double>((update - first_update_) * steps_per_update(config));
  return {.update = update,
          .num_updates = num_updates(config),
          .steps = steps(),
          .seconds = elapsed,
          .steps_per_second = elapsed > 0 ? steps_here / elapsed : 0,
          .num_episodes = episodes.num_episodes(),
          .train_return = episodes.mean_return(),
          .train_success = episodes.success_rate(),
          .test_return = test_return_,
          .test_success = test_success_};
}

Trainer::Trainer(std::unique_ptr<Run> run) : run_(std::move(run)) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;

Trainer::Trainer(const TrainConfig& config, const std::filesystem::path& folder, Locking locking) {
  expect_no_run(folder);
  run_ = std::make_unique<Run>(config, folder);
  run_->begin(locking);
}

Trainer Trainer::resume(const std::filesystem::path& folder, std::optional<std::int64_t> steps,
                        Locking locking) {
  TrainConfig config = config_of_run(folder);
  if (steps) config.schedule.steps = *steps;
  auto run = std::make_unique<Run>(config, folder);
  run->resume(locking);
  if (steps) write_text(folder / layout::kConfig, to_toml(run->config));
  return Trainer(std::move(run));
}

const TrainConfig& Trainer::config() const { return run_->config; }
Progress Trainer::progress() const { return run_->progress(); }
std::vector<std::string> Trainer::notes() const {
  std::vector<std::string> lines;
  const std::string kernels =
      learn::libtorch_note(run_->backend->network(), run_->config.compute.kernels);
  if (!kernels.empty()) lines.push_back(kernels);
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
          .total = run_->seconds()};
}

}  // namespace plr::train

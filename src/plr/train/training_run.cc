#include "plr/train/training_run.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"
#include "plr/train/agent.h"
#include "plr/train/rank_agreement.h"
#include "plr/train/run_settings.h"
#include "plr/train/survey.h"
#include "plr/train/test_env.h"
#include "plr/train/training_levels.h"

namespace plr::train {
namespace {

namespace layout = run::layout;

constexpr std::int64_t kLevelPictures = 40;  // of a run, at evaluations; TensorBoard shows them

// An environment of the run's settings whose stored levels are in `store`.
std::unique_ptr<VectorEnv> make_env(const TrainConfig& config, const RankShare& share,
                                    int num_slots, std::shared_ptr<const LevelStore> store) {
  EnvOptions options = config.env;
  options.num_slots = num_slots;
  options.num_workers = share.num_workers(options);
  options.store = std::move(store);
  return catalog::make_env(config.task.env, options);
}

// Throws std::invalid_argument for settings that a recurrent network cannot have.
void check_recurrent(const learn::Network& network, const TrainConfig& config) {
  if (!network.is_recurrent()) return;
  if (config.mixreg.alpha > 0 || config.drac.enabled) {
    throw std::invalid_argument(
        "network must not be lstm with mixreg or drac, which change single observations");
  }
  const std::int64_t num_shards = std::max<std::int64_t>(config.schedule.shards, 1);
  const std::int64_t num_slots = config.env.num_slots / num_shards;
  if (config.ppo.num_minibatches > num_slots) {
    throw std::invalid_argument(
        "num_minibatches must be at most " +
        (num_shards == 1 ? "num_slots, " + std::to_string(num_slots)
                         : "the " + std::to_string(num_slots) + " slots of a shard") +
        ", with a recurrent network, whose mini-batches are whole slots, not " +
        std::to_string(config.ppo.num_minibatches));
  }
}

std::unique_ptr<VectorEnv> make_training_env(const TrainConfig& config, const RankShare& share,
                                             std::shared_ptr<const LevelStore> store) {
  std::unique_ptr<VectorEnv> env =
      make_env(config, share, share.own_slots().size(), std::move(store));
  check_spaces(env->spec(), config);
  return env;
}

}  // namespace

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

TrainingRun::TrainingRun(const TrainConfig& given, const std::filesystem::path& path,
                         std::shared_ptr<distributed::World> world)
    : config(resolve(given, *world)),
      share(std::move(world), config),
      streams(config.schedule.seed),
      device(share.device(config.compute)),
      env(make_training_env(config, share, store)),
      eval_env(make_env(config, share,
                        evaluation_slots(share.episodes_of_shard(config.schedule.eval_episodes)),
                        store)),
      test_env(make_test_env(config, share, env->spec())),
      levels(training_levels(config.task.levels, env->spec())),
      curriculum(make_curriculum(config, levels,
                                 catalog::level_tools(config.task.env, config.env, store),
                                 streams.named("levels"))),
      backend(learn::make_backend(make_network(config, env->spec(), streams.named("init"), device),
                                  config.compute.kernels)),
      scorer(config.scorer, num_slots(), rollout_length()),
      normalizer(config.rewards, num_slots()),
      rollout({rollout_length(), num_slots(), share.own_slots()}, backend->network().shape(),
              device, backend->network().state_size()),
      regularizers(config.mixreg, config.drac, backend->network().shape(), device, streams),
      ppo(*backend, config.ppo, streams.named("minibatches"), share.gradient_shards()),
      inference(backend->make_inference(
          {.score_function = config.scorer.score_function, .num_groups = share.num_groups()},
          static_cast<std::size_t>(share.own_slots().size()), rollout.tensors())),
      log(share.world(), rollout_length(), num_slots()),
      collector({*env, curriculum.per_episode.get(), curriculum.per_episode ? &scorer : nullptr,
                 normalizer, *inference, log.log()},
                streams.named("actions")),
      recorder({streams, *env, *eval_env, test_env.get(), *store, levels, curriculum.any(),
                normalizer, *backend, regularizers, collector, share}),
      folder(path) {
  check_recurrent(backend->network(), config);
  if (!test_env) check_test_levels(env->spec(), levels);
  ppo.set_hooks(regularizers.hooks());
  if (curriculum.per_rollout) {
    planned.emplace(PlannedRollouts::Parts{*curriculum.per_rollout, collector, *store},
                    Discounts{config.scorer.gamma, config.scorer.gae_lambda});
  }
}

void TrainingRun::begin(Locking locking) {
  if (curriculum.per_episode) collector.begin();
  const run::Checkpoint checkpoint = compose();
  from_first(share.world(), [&] {
    begin_folder(checkpoint, locking);
    return "";
  });
}

void TrainingRun::begin_folder(const run::Checkpoint& checkpoint, Locking locking) {
  const bool is_new = !std::filesystem::exists(folder);
  make_directories(folder);
  files.emplace(folder, locking);
  expect_no_run(folder);  // no other process can begin one while the files are open
  try {
    files->begin(settings());
    write(checkpoint);
    write_text(folder / layout::kConfig, to_toml(config));
  } catch (...) {
    files.reset();
    std::error_code ignored;
    if (is_new) std::filesystem::remove_all(folder, ignored);
    throw;
  }
}

void TrainingRun::resume(Locking locking) {
  const run::Checkpoint checkpoint = share_checkpoint(share.world(), [&] {
    files.emplace(folder, locking);  // no other process can resume the run from here on
    return run::load_checkpoint(folder / layout::kCheckpoints);
  });
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
  from_first(share.world(), [&] {
    setting_notes = compare_with_checkpoint(config, facts.settings, folder);
    files->truncate_to(facts.sizes, checkpoint.log_seals);
    files->describe(settings());  // again if no event is left
    // Of a killed process; a finished run does not save again.
    run::remove_leftovers(folder / layout::kCheckpoints);
    for (const auto name : {layout::kConfig, layout::kLevelTable}) {
      remove_temporary_files(folder / name);
    }
    return "";
  });
}

bool TrainingRun::play_rollout(const EvaluationWatch& watch_survey) {
  if (!planned) {
    collector.fill(rollout);
    return true;
  }
  return planned->play(
      rollout, [&](std::span<const LevelId> asked) { return survey_levels(asked, watch_survey); });
}

std::optional<std::vector<double>> TrainingRun::survey_levels(std::span<const LevelId> asked,
                                                              const EvaluationWatch& watch) {
  const std::int64_t num_levels = share.episodes_of_shard(static_cast<std::int64_t>(asked.size()));
  const std::int64_t num_survey_slots = std::min(config.sfl.survey_slots, num_levels);
  if (!survey_env_) {
    survey_env_ = make_env(config, share, static_cast<int>(num_survey_slots), store);
  }
  const std::int64_t num_batches = (num_levels + num_survey_slots - 1) / num_survey_slots;
  const auto num_steps =
      static_cast<double>(share.gradient_shards().own * num_batches * config.sfl.survey_steps);
  double num_done = 0;
  const auto should_stop = [&] {
    if (watch.progressed) watch.progressed(std::min(num_done++ / num_steps, 1.0));
    return watch.should_stop && watch.should_stop();
  };
  const auto survey_part = [&](std::span<const LevelId> part, const Random& random) {
    std::vector<double> rates;
    for (const SurveyedLevel& level : survey(
             *survey_env_, *backend, part,
             {.num_steps = config.sfl.survey_steps, .num_workers = share.num_workers(config.env)},
             random, should_stop)) {
      rates.push_back(level.success_rate());
    }
    return rates;
  };
  std::vector<double> rates =
      share.survey(asked, streams, "survey/" + std::to_string(update), survey_part);
  return rates.empty() ? std::nullopt : std::optional(std::move(rates));
}

std::optional<learn::PpoStats> TrainingRun::update_agent() {
  const collect::Stopwatch watch(learning);
  std::optional<learn::PpoStats> stats;
  if (!planned || planned->plan().learn) {
    learn::compute_advantages(rollout, config.scorer.gamma, config.scorer.gae_lambda);
    ppo.set_learning_rate(learning_rate_of(config, gradient_updates));
    stats = ppo.update(rollout);
    if (backend->network().normalizes_observations()) update_normalizer();
    ++gradient_updates;
  }
  ++update;
  return stats;
}

// By the observations of all steps of all ranks, shard after shard; those after the last step begin
// the next rollout.
void TrainingRun::update_normalizer() {
  const std::int64_t num_steps = config.schedule.rollout_length;
  const std::int64_t num_slots = config.env.num_slots / config.schedule.shards;  // of a shard
  std::vector<at::Tensor> own;
  for (const at::Tensor& shard : rollout.obs().narrow(0, 0, num_steps).split(num_slots, 1)) {
    own.push_back(learn::ObsNormalizer::moments(shard.flatten(0, 1)));
  }
  for (const at::Tensor& moments : share.gather_rows(at::stack(own)).unbind()) {
    backend->network().normalizer().add(moments, num_steps * num_slots);
  }
}

bool TrainingRun::agree_to_stop(const std::function<bool()>& should_stop) {
  return share.agree_to_stop(should_stop && should_stop(), [&] {
    std::vector<at::Tensor> tensors;  // weights and statistics
    for (const auto& named : backend->network().state()) tensors.push_back(named.tensor.flatten());
    return digest_of(at::cat(tensors)) ^ checksum(curriculum.any().save()) ^
           checksum(normalizer.save());
  });
}

void TrainingRun::record(const std::optional<learn::PpoStats>& stats) {
  const Progress now = progress();
  run::LogRecord log_record = recorder.log_record(now, stats);
  if (planned) {
    log_record.gradient_updates = gradient_updates;
    log_record.rollout_kind = to_text(planned->plan().kind);
    log_record.unmeasured_levels = planned->num_unmeasured();
  }
  const ScheduleConfig& schedule = config.schedule;
  if (files) files->append(log_record);
  if (files && update % schedule.levels_interval == 0) {
    files->append(recorder.levels_record(now));
  }
  if (schedule.eval_interval > 0 && update % schedule.eval_interval == 0) {
    evaluate(schedule.eval_episodes, false, {});
  }
  if (update % schedule.checkpoint_interval == 0) save();
}

void TrainingRun::finish(const Watch& watch) {
  if (is_final) return;
  if (!is_saved()) save();
  const EvaluationWatch evaluation = {.progressed = watch.evaluated,
                                      .should_stop = watch.should_stop};
  if (!evaluate(config.schedule.final_episodes, true, evaluation)) return;
  is_final = true;
  if (files) files->finish();
  save();
}

std::vector<run::Setting> TrainingRun::settings() const {
  return run::parse_flat_settings(to_toml(config), std::string(layout::kConfig));
}

bool TrainingRun::evaluate(std::int64_t num_episodes, bool is_last, const EvaluationWatch& watch) {
  const auto record = recorder.evaluate(progress(), num_episodes, is_last, watch);
  if (!record) return false;
  test_return_ = record->test_return;
  test_success_ = record->test_success;
  if (!files) return true;
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
void TrainingRun::save() {
  run::Checkpoint checkpoint = compose();
  if (files) write(std::move(checkpoint));
  saved_update_ = update;
}

run::Checkpoint TrainingRun::compose() {
  if (planned) planned->drop_unused_levels();
  run::Checkpoint checkpoint = compose_checkpoint(checkpoint_parts());
  checkpoint.update = update;
  return checkpoint;
}

void TrainingRun::write(run::Checkpoint checkpoint) {
  write_text(folder / layout::kLevelTable, run::level_table_to_csv(recorder.level_table()));
  checkpoint.facts = run::CheckpointFacts{.steps = steps(),
                                          .is_final = is_final,
                                          .gradient_updates = gradient_updates,
                                          .sizes = files->sync(),
                                          .behavior_version = run::kBehaviorVersion,
                                          .settings = settings_to_save(config),
                                          .spaces = spaces_to_json(env->spec())};
  checkpoint.log_seals = files->seals();
  run::save_checkpoint(folder / layout::kCheckpoints, checkpoint);
}

Progress TrainingRun::progress() const {
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

}  // namespace plr::train

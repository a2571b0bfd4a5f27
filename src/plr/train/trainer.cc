#include "plr/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "plr/learn/regularizers.h"
#include "plr/run/checkpoint.h"
#include "plr/train/agent.h"
#include "plr/train/collector.h"
#include "plr/train/evaluator.h"
#include "plr/train/level_record.h"
#include "plr/train/run_files.h"
#include "plr/train/training_levels.h"

namespace plr::train {
namespace {

// Whatever is made at random has a stream of its own (base/random.h).
std::unique_ptr<Curriculum> make_curriculum(const TrainConfig& config, const LevelSet& levels,
                                            const Streams& streams) {
  const Random random = streams.named("levels");
  switch (config.task.curriculum) {
    case CurriculumKind::kUniform:
      return std::make_unique<Uniform>(levels, random, config.replay.first_levels);
    case CurriculumKind::kTscl:
      return std::make_unique<Tscl>(levels, config.tscl, random, config.replay.first_levels);
    case CurriculumKind::kPlr:
      break;
  }
  return std::make_unique<LevelReplay>(levels, config.replay, random);
}

std::unique_ptr<VectorEnv> make_eval_env(const TrainConfig& config) {
  EnvOptions options = config.env;
  options.num_slots = std::min<int>(64, static_cast<int>(config.schedule.eval_episodes));
  return catalog::make_env(config.task.env, options);
}

TrainConfig checked(TrainConfig config) {
  check(config);
  config.compute = learn::plain(config.compute);
  return config;
}

void expect_no_run(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "config.toml")) {
    throw std::invalid_argument(folder.string() + " holds a run already; go on with --resume " +
                                folder.string() + ", or name another folder");
  }
  if (RunFiles::has_records(folder)) {
    throw std::invalid_argument(folder.string() +
                                " holds logs of another run; remove them, or name another folder");
  }
}

}  // namespace

// All parts of a run, made from its settings alone.
class Trainer::Run {
 public:
  Run(const TrainConfig& given, const std::filesystem::path& path)
      : config(checked(given)),
        streams(config.schedule.seed),
        device(configure(config.compute)),
        env(catalog::make_env(config.task.env, config.env)),
        eval_env(make_eval_env(config)),
        levels(training_levels(config.task.levels, env->spec())),
        curriculum(make_curriculum(config, levels, streams)),
        network(make_network(config, env->spec(), streams.named("init"), device)),
        scorer(config.scorer, num_slots(), rollout_length()),
        normalizer(config.rewards, num_slots()),
        rollout({rollout_length(), num_slots()}, network.shape(), device),
        regularizers(config.mixreg, config.drac, network.shape(), device, streams),
        ppo(network, config.ppo, streams.named("minibatches"), config.compute.kernels),
        collector({*env, *curriculum, scorer, normalizer, network, config.scorer.score_function},
                  streams.named("actions"), config.schedule.slot_groups),
        evaluator(*eval_env, network),
        level_record(*env),
        folder(path) {
    ppo.set_hooks(regularizers.hooks());
  }

  std::size_t num_slots() const { return static_cast<std::size_t>(config.env.num_slots); }
  std::size_t rollout_length() const {
    return static_cast<std::size_t>(config.schedule.rollout_length);
  }
  std::int64_t steps_per_update() const { return train::steps_per_update(config); }
  std::int64_t num_updates() const { return config.schedule.steps / steps_per_update(); }

  // Files are touched last, so that a run that cannot be made leaves nothing; and config.toml is
  // the very last, so that a folder which has one can always be resumed.
  void begin() {
    collector.begin(rollout);
    const bool is_new = !std::filesystem::exists(folder);
    make_directories(folder);
    files.emplace(folder);
    expect_no_run(folder);  // as long as the files are open, nobody else begins one
    try {
      save();
      write_text(folder / "config.toml", to_toml(config));
    } catch (...) {
      files.reset();
      std::error_code ignored;
      if (is_new) std::filesystem::remove_all(folder, ignored);
      throw;
    }
  }

  void resume() {
    files.emplace(folder);  // from here on, nobody else goes on with it
    const run::Checkpoint checkpoint = run::load_checkpoint(folder / "checkpoint");
    const auto state = [&](const char* name) -> const std::vector<std::byte>& {
      const auto found = checkpoint.states.find(name);
      if (found == checkpoint.states.end()) {
        throw std::runtime_error("the checkpoint in " + folder.string() + " has no state of the " +
                                 name);
      }
      return found->second;
    };
    update = checkpoint.update;
    saved_update = update;
    if (config.schedule.steps < update * steps_per_update()) {
      throw std::invalid_argument(
          "steps must be at least " + std::to_string(update * steps_per_update()) + ", which " +
          folder.string() + " has made already, not " + std::to_string(config.schedule.steps));
    }
    from_bytes(checkpoint.tensors, ppo.state());
    curriculum->load(state("curriculum"));
    scorer.load(state("scorer"));
    normalizer.load(state("normalizer"));
    regularizers.load(state("regularizers"));
    collector.load(state("collector"), rollout);
    ByteReader reader(state("minibatches"), "minibatches", 1);
    ppo.stream() = reader.random();
    reader.expect_end();
    is_final = checkpoint.facts.at("is_final").get<bool>() && update >= num_updates();
    files->cut(checkpoint.facts.at("sizes"));
    run::remove_leftovers(files->checkpoints());  // a run that is through will not save again
  }

  // The checkpoint last: a run that is killed before it makes all of this once more.
  void save() {
    write_text(folder / "levels.csv", level_record.table(curriculum->weights()));
    ByteWriter minibatches;
    minibatches.random(ppo.stream());
    const nlohmann::json facts = {
        {"steps", update * steps_per_update()}, {"is_final", is_final}, {"sizes", files->sizes()}};
    run::save_checkpoint(files->checkpoints(),
                         {.update = update,
                          .facts = facts,
                          .states = {{"curriculum", curriculum->save()},
                                     {"scorer", scorer.save()},
                                     {"normalizer", normalizer.save()},
                                     {"regularizers", regularizers.save()},
                                     {"collector", collector.save(rollout)},
                                     {"minibatches", minibatches.seal("minibatches", 1)}},
                          .tensors = to_bytes(ppo.state())});
    saved_update = update;
  }

  double seconds_here() const {
    return Seconds(std::chrono::steady_clock::now() - started).count();
  }

  Progress progress() const {
    const EpisodeWindow& episodes = collector.episodes();
    const double seconds = seconds_here();
    const auto steps_here = static_cast<double>((update - first_update) * steps_per_update());
    return {.update = update,
            .num_updates = num_updates(),
            .steps = update * steps_per_update(),
            .seconds = seconds,
            .steps_per_second = seconds > 0 ? steps_here / seconds : 0,
            .num_episodes = episodes.num_episodes(),
            .train_return = episodes.mean_return(),
            .train_success = episodes.success_rate(),
            .test_return = test_return,
            .test_success = test_success};
  }

  learn::PpoStats learn() {
    const Stopwatch watch(learning);
    learn::PpoStats stats = ppo.update(rollout);
    ++update;
    return stats;
  }

  // Log, evaluate and save when due.
  void record(const learn::PpoStats& stats) {
    files->log(log_record(stats));
    const ScheduleConfig& schedule = config.schedule;
    if (update % schedule.levels_interval == 0) {
      files->levels(
          level_record.describe(update, update * steps_per_update(), curriculum->weights()));
    }
    if (schedule.eval_interval > 0 && update % schedule.eval_interval == 0) {
      evaluate(schedule.eval_episodes, false, {});
    }
    if (update % schedule.checkpoint_interval == 0) save();
  }

  // May take long, and is made anew from its beginning if somebody stops it.
  void finish(const std::function<bool()>& should_stop) {
    if (is_final) return;
    if (saved_update != update) save();
    if (!evaluate(config.schedule.final_episodes, true, should_stop)) return;
    is_final = true;
    save();
  }

  // On test levels and on training levels, both drawn anew from a stream of this update.  False if
  // it was stopped, and then nothing is recorded.
  bool evaluate(std::int64_t episodes, bool is_last, const std::function<bool()>& should_stop) {
    const std::string name = "evaluate/" + std::to_string(update);
    Random random = streams.named(name);
    const auto count = static_cast<std::size_t>(episodes);
    const auto test_ids = test_levels(env->spec(), levels, count, random);
    const auto train_ids = levels_of(levels, count, random);
    const auto play = [&](const std::vector<LevelId>& ids, const char* kind) {
      return evaluator.play(ids, false, streams.named(name + kind), should_stop);
    };
    const Evaluation test = play(test_ids, "/test");
    const Evaluation train = play(train_ids, "/train");
    if (!test.is_whole || !train.is_whole) return false;
    test_return = test.mean_return();
    test_success = test.success_rate();
    nlohmann::ordered_json record = {{"update", update},
                                     {"steps", update * steps_per_update()},
                                     {"episodes", episodes},
                                     {"stream", name},
                                     {"test_return", test.mean_return()},
                                     {"test_error", test.standard_error()},
                                     {"test_success", test.success_rate()},
                                     {"test_length", test.mean_length()},
                                     {"train_return", train.mean_return()},
                                     {"train_error", train.standard_error()},
                                     {"train_success", train.success_rate()},
                                     {"train_length", train.mean_length()},
                                     {"gap", train.mean_return() - test.mean_return()}};
    // How the worst levels went is asked of the final agent only.
    if (is_last) {
      record["test_returns"] = nlohmann::json::array();
      for (const PlayedEpisode& e : test.episodes) {
        record["test_returns"].push_back(e.episode_return);
      }
    }
    files->evaluation(record);
    return true;
  }

  nlohmann::ordered_json log_record(const learn::PpoStats& stats) const {
    const Progress now = progress();
    const EpisodeWindow& episodes = collector.episodes();
    nlohmann::ordered_json record = {{"update", update},
                                     {"steps", now.steps},
                                     {"seconds", now.seconds},
                                     {"steps_per_second", now.steps_per_second},
                                     {"episodes", episodes.num_episodes()},
                                     {"return", episodes.mean_return()},
                                     {"success", episodes.success_rate()},
                                     {"length", episodes.mean_length()},
                                     {"policy_loss", stats.mean.policy_loss},
                                     {"value_loss", stats.mean.value_loss},
                                     {"entropy", stats.mean.entropy},
                                     {"grad_norm", stats.mean.grad_norm},
                                     {"clip_fraction", stats.mean.clip_fraction},
                                     {"approx_kl", stats.mean.approx_kl},
                                     {"explained_variance", stats.explained_variance},
                                     {"return_deviation", std::sqrt(normalizer.variance())}};
    if (const auto& drac = regularizers.drac()) {
      record["drac_loss"] = stats.mean.extra_loss;
      record["augmentation"] = to_text(drac->augmentation());
    }
    if (const auto* replay = dynamic_cast<const LevelReplay*>(curriculum.get())) {
      record["levels_seen"] = replay->num_seen();
      record["draws"] = replay->num_draws();
      record["replay_probability"] = replay->replay_probability();
    }
    return record;
  }

  TrainConfig config;
  Streams streams;
  at::Device device;
  std::unique_ptr<VectorEnv> env;
  std::unique_ptr<VectorEnv> eval_env;
  LevelSet levels;
  std::unique_ptr<Curriculum> curriculum;
  learn::Network network;
  EpisodeScorer scorer;
  RewardNormalizer normalizer;
  learn::Rollout rollout;
  learn::Regularizers regularizers;
  learn::Ppo ppo;
  Collector collector;
  Evaluator evaluator;
  LevelRecord level_record;
  std::filesystem::path folder;
  std::optional<RunFiles> files;

  std::int64_t update = 0;
  std::int64_t first_update = 0;  // of this process
  std::int64_t saved_update = -1;
  bool is_final = false;  // the last evaluation has been made
  std::optional<double> test_return;
  std::optional<double> test_success;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  Seconds learning{};
};

bool Trainer::run(const Watch& watch) {
  Run& r = *run_;
  while (r.update < r.num_updates()) {
    r.collector.fill(r.rollout);
    learn::compute_advantages(r.rollout, r.config.scorer.gamma, r.config.scorer.gae_lambda);
    const learn::PpoStats stats = r.learn();
    r.record(stats);
    if (watch.updated) watch.updated(r.progress());
    if (watch.should_stop && watch.should_stop()) break;
  }
  if (r.update == r.num_updates()) {
    r.finish(watch.should_stop);
  } else if (r.saved_update != r.update) {
    r.save();
  }
  return r.is_final;
}

Trainer::Trainer(std::unique_ptr<Run> run) : run_(std::move(run)) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;

Trainer::Trainer(const TrainConfig& config, const std::filesystem::path& folder) {
  expect_no_run(folder);
  run_ = std::make_unique<Run>(config, folder);
  run_->begin();
}

Trainer Trainer::resume(const std::filesystem::path& folder, std::optional<std::int64_t> steps) {
  TrainConfig config = config_of_run(folder);
  if (steps) config.schedule.steps = *steps;
  auto run = std::make_unique<Run>(config, folder);
  run->resume();
  run->first_update = run->update;
  if (steps) write_text(folder / "config.toml", to_toml(run->config));
  return Trainer(std::move(run));
}

const TrainConfig& Trainer::config() const { return run_->config; }
Progress Trainer::progress() const { return run_->progress(); }

TrainTimes Trainer::times() const {
  const CollectTimes& collect = run_->collector.times();
  return {.acting = collect.acting.count(),
          .environment = collect.environment.count(),
          .sampler = collect.sampler.count(),
          .update = run_->learning.count(),
          .total = run_->seconds_here()};
}

TrainConfig config_of_run(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "config.toml";
  if (!std::filesystem::exists(path)) {
    throw std::invalid_argument("there is no run in " + folder.string() + " (no config.toml)");
  }
  TrainConfig config;
  const auto values = set_by_file(config, path);
  for (const auto& [name, value] : values_of(config)) {
    if (!values.contains(name)) {
      throw std::invalid_argument(path.string() + " does not say what " + name +
                                  " is; a run's settings must be there in full");
    }
  }
  return config;
}

}  // namespace plr::train

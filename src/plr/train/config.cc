#include "plr/train/config.h"

#include <algorithm>
#include <span>
#include <sstream>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/plugins.h"
#include "plr/run/layout.h"

namespace plr::train {
namespace {

// The paper's settings for MiniGrid: table "hyper-parameters" of its appendix. `pool` is the choice
// that came closest to its returns (docs/algorithm.md, E4).
TrainConfig minigrid_paper(const std::string& env, const std::string& levels, std::int64_t channels,
                           bool pool, std::int64_t steps) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = levels;
  config.schedule.steps = steps;
  config.schedule.checkpoint_interval = 50;
  config.replay.staleness_coef = 0.3;
  config.ppo.epochs = 4;
  config.ppo.adam.learning_rate = 7e-4;
  config.network.grid_cnn.channels = channels;
  config.network.grid_cnn.pool = pool;
  return config;
}

// The same for Procgen. Episodes are long, so evaluations are rarer. `open_episodes` is the
// paper's, which came closer to its returns here (experiments/procgen/README.md).
TrainConfig procgen_paper(const std::string& env, const std::string& levels, int num_slots,
                          std::int64_t steps) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = levels;
  config.env.num_slots = num_slots;
  config.schedule.steps = steps;
  config.schedule.eval_interval = 50;
  config.schedule.checkpoint_interval = 50;
  config.replay.staleness_coef = 0.1;
  config.scorer.open_episodes = OpenEpisodes::kStitch;
  config.ppo.epochs = 3;
  config.ppo.adam.learning_rate = 5e-4;
  return config;
}

// ---- The maze.  docs/maze.md says where these settings differ from the libraries.

// Environment steps of this number of rollouts of 32 slots and 256 steps.
constexpr std::int64_t maze_steps(std::int64_t num_rollouts) { return num_rollouts * 32 * 256; }

// JaxUED's maze scripts with domain randomization: every episode a new level.
TrainConfig maze_domain_randomization() {
  TrainConfig config;
  config.task.env = "maze/random-25";
  config.task.test_env = "maze/JaxUED-8";
  config.task.levels = "full";
  config.task.curriculum = CurriculumKind::kUniform;
  config.env.num_slots = 32;
  config.schedule.steps = maze_steps(30'000);
  config.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;
  config.schedule.eval_interval = 250;
  config.schedule.eval_episodes = 80;  // ten on each of the eight levels
  config.schedule.final_episodes = 800;
  config.schedule.checkpoint_interval = 250;
  config.schedule.levels_interval = 250;
  config.scorer.gamma = 0.995;
  config.scorer.gae_lambda = 0.98;
  config.rewards.normalize_rewards = false;
  config.ppo.epochs = 5;
  config.ppo.num_minibatches = 1;
  config.ppo.entropy_coef = 1e-3;
  config.ppo.minibatch_advantages = true;
  config.ppo.adam.learning_rate = 1e-4;
  config.ppo.adam.grad_norm_epsilon = 0;
  return config;
}

// JaxUED's maze scripts with a level buffer: PLR, robust PLR, and ACCEL if there are edits.
TrainConfig maze_replay(bool learn_on_new, int num_edits) {
  TrainConfig config = maze_domain_randomization();
  config.task.curriculum = CurriculumKind::kPlr;
  config.task.decide = Decide::kRollout;
  config.rollout_replay.learn_on_new = learn_on_new;
  config.rollout_replay.num_edits = num_edits;
  return config;
}

// minimax, whose runs have 30,000 gradient updates: as many rollouts as give that number on
// average.
TrainConfig maze_minimax(const std::string& env, double replay_probability, int num_edits) {
  TrainConfig config = maze_replay(false, num_edits);
  config.task.env = env;
  config.schedule.learning_rate_schedule = LearningRateSchedule::kConstant;
  config.scorer.gamma = 0.999;
  config.ppo.entropy_coef = 0;
  config.ppo.adam.learning_rate = 3e-4;
  config.rollout_replay.replay_probability = replay_probability;
  config.schedule.steps = maze_steps(num_edits > 0 ? 67'500 : 60'000);
  if (num_edits > 0) config.rollout_replay.buffer.staleness_coef = 0.5;
  return config;
}

// The ACCEL paper, whose runs have 20,000 gradient updates, likewise.
TrainConfig maze_dcd(const std::string& env, double replay_probability, int num_edits) {
  TrainConfig config = maze_replay(false, num_edits);
  config.task.env = env;
  config.env.maze.edits = MazeEdits::kTilesWithoutAgent;
  config.schedule.learning_rate_schedule = LearningRateSchedule::kConstant;
  config.schedule.steps = maze_steps(num_edits > 0 ? 45'000 : 40'000);
  config.scorer.gae_lambda = 0.95;
  config.ppo.entropy_coef = 0;
  config.ppo.minibatch_advantages = false;
  config.rollout_replay.score = RolloutScore::kPositiveValueLoss;
  config.rollout_replay.replay_probability = replay_probability;
  if (num_edits > 0) config.rollout_replay.num_parents = 4;
  return config;
}

// Sampling for learnability, by the settings of its paper.
TrainConfig maze_sfl() {
  TrainConfig config = maze_domain_randomization();
  config.task.env = "maze/random-60";
  config.task.curriculum = CurriculumKind::kSfl;
  config.task.decide = Decide::kRollout;
  config.env.num_slots = 256;
  config.schedule.steps = 300'000'000;
  config.schedule.eval_interval = 50;
  config.schedule.checkpoint_interval = 50;
  config.schedule.levels_interval = 100;
  config.scorer.gamma = 0.99;
  config.scorer.gae_lambda = 0.95;
  config.ppo.epochs = 4;
  config.ppo.num_minibatches = 4;
  config.ppo.clip = 0.04;
  config.ppo.entropy_coef = 0;
  config.ppo.adam.learning_rate = 2.5e-4;
  return config;
}

// ---- Classic control, by the settings of Stable-Baselines3's PPO. benchmarks/README.md compares
// both.

TrainConfig classic(const std::string& env, int num_slots, std::int64_t rollout_length,
                    std::int64_t num_rollouts) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = "200";
  config.env.num_slots = num_slots;
  config.schedule.rollout_length = rollout_length;
  config.schedule.steps = num_rollouts * steps_per_update(config);
  config.rewards.normalize_rewards = false;
  config.scorer.gamma = 0.99;
  config.ppo.epochs = 10;
  config.ppo.num_minibatches = static_cast<int>(steps_per_update(config) / 64);
  config.ppo.clip_value_loss = false;
  config.ppo.value_coef = 1;  // of half the squared error
  config.ppo.entropy_coef = 0;
  config.ppo.minibatch_advantages = true;
  config.ppo.adam.learning_rate = 3e-4;
  return config;
}

TrainConfig pendulum() {
  TrainConfig config = classic("classic/Pendulum", 4, 1024, 50);
  config.scorer.gamma = 0.9;
  config.ppo.adam.learning_rate = 1e-3;
  return config;
}

struct Preset {
  std::string name;
  std::string summary;
  TrainConfig config;
};

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    TrainConfig small =
        minigrid_paper("minigrid/MiniGrid-DoorKey-6x6-v0", "500", 32, false, 3'000'000);
    small.schedule.rollout_length = 128;
    small.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;  // benchmarks/README.md
    list.push_back({"small", "a task that is learned in minutes on a CPU (the default)", small});
    list.push_back(
        {"minigrid-multiroom", "the paper's MultiRoom-N4-Random: 4,000 levels, 100M steps",
         minigrid_paper("minigrid/MultiRoom-N4-Random", "4000", 32, false, 100'000'000)});
    list.push_back(
        {"minigrid-omg-easy", "the paper's ObstructedMazeGamut-Easy: 3,000 levels, 120M steps",
         minigrid_paper("minigrid/ObstructedMazeGamut-Easy", "3000", 64, true, 120'000'000)});
    list.push_back(
        {"minigrid-omg-medium", "the paper's ObstructedMazeGamut-Medium: 6,000 levels, 250M steps",
         minigrid_paper("minigrid/ObstructedMazeGamut-Medium", "6000", 64, true, 250'000'000)});
    list.push_back({"procgen-easy",
                    "the paper's Procgen, easy: 200 levels, 25M steps; --env procgen/GAME",
                    procgen_paper("procgen/bigfish", "200", 64, 25'000'000)});
    list.push_back({"procgen-hard",
                    "the paper's Procgen, hard: 500 levels, 200M steps; --env procgen/GAME-hard",
                    procgen_paper("procgen/bigfish-hard", "500", 128, 200'000'000)});
    list.push_back({"maze-dr",
                    "JaxUED's maze with domain randomization, a recurrent network, 246M steps",
                    maze_domain_randomization()});
    list.push_back({"maze-plr", "the same with PLR that decides per rollout, MaxMC scores",
                    maze_replay(true, 0)});
    list.push_back({"maze-plr-perp", "the same with robust PLR: learns from replayed levels only",
                    maze_replay(false, 0)});
    list.push_back(
        {"maze-accel", "the same with ACCEL: edits replayed levels", maze_replay(false, 5)});
    list.push_back({"maze-plr-perp-minimax",
                    "robust PLR by minimax's settings, 60 walls, 492M steps",
                    maze_minimax("maze/random-60", 0.5, 0)});
    list.push_back({"maze-accel-minimax",
                    "ACCEL by minimax's settings, from empty mazes, 553M steps",
                    maze_minimax("maze/empty", 0.8, 20)});
    list.push_back({"maze-plr-perp-dcd",
                    "robust PLR by the ACCEL paper's settings, up to 59 walls, 328M steps",
                    maze_dcd("maze/random-0-59", 0.5, 0)});
    list.push_back({"maze-accel-dcd",
                    "ACCEL by the ACCEL paper's settings, from empty mazes, 369M steps",
                    maze_dcd("maze/empty", 0.8, 5)});
    list.push_back(
        {"maze-sfl", "sampling for learnability by its paper's settings, 300M steps", maze_sfl()});
    list.push_back({"cartpole",
                    "a pole on a cart with random physics, a vector of floats: 200 levels, 102k "
                    "steps",
                    classic("classic/CartPole", 8, 256, 50)});
    list.push_back({"pendulum",
                    "a pendulum with random physics, a continuous torque: 200 levels, 205k steps",
                    pendulum()});
    return list;
  }();
  return all;
}

bool is_quoted(const std::string&) { return true; }
template <NamedEnum E>
bool is_quoted(E) {
  return true;
}
bool is_quoted(auto) { return false; }

}  // namespace

std::int64_t steps_per_update(const TrainConfig& config) {
  return config.env.num_slots * config.schedule.rollout_length;
}

std::int64_t num_updates(const TrainConfig& config) {
  return config.schedule.steps / steps_per_update(config);
}

double learning_rate_of(const TrainConfig& config, std::int64_t gradient_updates) {
  const double rate = config.ppo.adam.learning_rate;
  if (config.schedule.learning_rate_schedule == LearningRateSchedule::kConstant) return rate;
  const auto num_rollouts = static_cast<double>(num_updates(config));
  return rate * (1 - static_cast<double>(gradient_updates) / num_rollouts);
}

namespace {

// Throws std::invalid_argument for a curriculum that does not decide when config.task.decide says.
void check_decision(const TrainConfig& config) {
  const CurriculumKind kind = config.task.curriculum;
  if (config.task.decide == Decide::kEpisode) {
    if (kind == CurriculumKind::kSfl) {
      throw std::invalid_argument("decide must be rollout with curriculum = sfl, not episode");
    }
    return;
  }
  if (kind != CurriculumKind::kPlr && kind != CurriculumKind::kSfl) {
    throw std::invalid_argument("curriculum must be plr or sfl with decide = rollout, not " +
                                to_text(kind));
  }
  if (config.rewards.normalize_rewards) {
    throw std::invalid_argument(
        "normalize_rewards must be false with decide = rollout, whose scores compare returns with "
        "values");
  }
}

}  // namespace

namespace {

void check_shards(const TrainConfig& config) {
  const std::int64_t shards = config.schedule.shards;
  if (shards <= 1) return;
  if ((shards & (shards - 1)) != 0) {
    throw std::invalid_argument("shards must be a power of two, not " + std::to_string(shards));
  }
  if (config.env.num_slots % shards != 0) {
    throw std::invalid_argument("num_slots must be a multiple of the " + std::to_string(shards) +
                                " shards, not " + std::to_string(config.env.num_slots));
  }
  if (steps_per_update(config) / shards < config.ppo.num_minibatches) {
    throw std::invalid_argument(
        "num_minibatches must be at most the " + std::to_string(steps_per_update(config) / shards) +
        " samples of a shard, not " + std::to_string(config.ppo.num_minibatches));
  }
}

}  // namespace

void check(const TrainConfig& config) {
  visit_groups(config, [](const char*, const auto& group) { check_fields(group); });
  const std::int64_t batch = steps_per_update(config);
  if (config.schedule.steps < batch) {
    throw std::invalid_argument("steps must be at least one update, " + std::to_string(batch) +
                                " (num_slots * rollout_length), not " +
                                std::to_string(config.schedule.steps));
  }
  if (batch < config.ppo.num_minibatches) {
    throw std::invalid_argument("num_minibatches must be at most num_slots * rollout_length, " +
                                std::to_string(batch) + ", not " +
                                std::to_string(config.ppo.num_minibatches));
  }
  check_shards(config);
  check_decision(config);
  if (!config.drac.enabled && config.drac.augmentation != learn::DracConfig{}.augmentation) {
    throw std::invalid_argument("augmentation is " + to_text(config.drac.augmentation) +
                                ", but drac is false: nothing would be augmented; set drac too");
  }
}

std::string_view obsolete_reason(std::string_view name) {
  const auto found = std::ranges::find(kObsoleteSettings, name, &ObsoleteSetting::name);
  return found == kObsoleteSettings.end() ? std::string_view() : found->reason;
}

void set(TrainConfig& config, std::string_view name, const std::string& value) {
  bool found = !obsolete_reason(name).empty();
  std::vector<std::string> names;
  visit_groups(config, [&](const char*, auto& group) {
    found = found || set_field(group, name, value);
    visit_fields(group, [&](std::string_view field, auto&&...) { names.emplace_back(field); });
  });
  if (found) return;
  throw std::invalid_argument("unknown setting '" + std::string(name) + "'; did you mean " +
                              closest_name(name, names) + "?");
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void set(TrainConfig& config, const run::Setting& setting) {
  run::with_place(setting.place, [&] {
    const bool is_test_env = setting.name == "test_env" && !setting.value.empty();
    if (setting.name == "env" || is_test_env) catalog::check_env_name(setting.value);
    const bool is_plugin = setting.name == TaskConfig::kPlugin.name() && !setting.value.empty();
    if (is_plugin) return set_plugin(config.task, setting.value);
    set(config, setting.name, setting.value);
  });
}

void set_plugin(TaskConfig& task, const std::string& path) {
  task.plugin = catalog::load_plugin(path, catalog::NamedBy::kUser).path;
}

namespace {

std::string value_of(std::string_view name, std::span<const run::Setting> settings) {
  const auto found = std::ranges::find(settings, name, &run::Setting::name);
  return found != settings.end() ? found->value : "";
}

// A config.toml may be that of a run, which another person has made.
std::string loaded_plugin(const run::Setting& setting, const std::string& env,
                          const std::filesystem::path& file) {
  const catalog::LoadedPlugin* loaded = catalog::find_plugin(env);
  if (loaded != nullptr) return loaded->path;
  if (setting.value.empty()) return "";
  const bool is_of_run = file.filename() == run::layout::kConfig;
  return catalog::load_plugin(setting.value,
                              is_of_run ? catalog::NamedBy::kRun : catalog::NamedBy::kUser)
      .path;
}

}  // namespace

std::set<std::string> set_by_file(TrainConfig& config, const std::filesystem::path& file) {
  const std::vector<run::Setting> settings =
      run::parse_flat_settings(read_text(file, kMaxSettingsSize), file.string());
  const auto is_plugin = [](const run::Setting& setting) {
    return setting.name == TaskConfig::kPlugin.name();
  };
  std::set<std::string> names;
  // The plug-in first, since it brings the environments that other settings name.
  for (const run::Setting& setting : settings) {
    names.insert(setting.name);
    if (!is_plugin(setting)) continue;
    run::with_place(setting.place, [&] {
      config.task.plugin = loaded_plugin(setting, value_of("env", settings), file);
    });
  }
  for (const run::Setting& setting : settings) {
    if (!is_plugin(setting)) set(config, setting);
  }
  return names;
}

TrainConfig preset(std::string_view name) {
  std::string names;
  for (const Preset& p : all_presets()) {
    if (p.name == name) return p.config;
    names += (names.empty() ? "" : ", ") + p.name;
  }
  throw_unknown_name("preset", name, names);
}

std::vector<std::pair<std::string, std::string>> presets() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Preset& p : all_presets()) list.emplace_back(p.name, p.summary);
  return list;
}

std::map<std::string, std::string> values_of(const TrainConfig& config) {
  std::map<std::string, std::string> values;
  visit_groups(config, [&](const char*, const auto& group) {
    visit_fields(group, [&](std::string_view name, const auto& value, auto&&...) {
      values[std::string(name)] = to_text(value);
    });
  });
  return values;
}

void set_algorithm(TrainConfig& config, Algorithm algorithm) {
  visit_groups(config, [&](const char*, auto& group) { plr::set_algorithm(group, algorithm); });
}

void set_method(TrainConfig& config, Method method) {
  const bool is_replay = method == Method::kPlr || method == Method::kUcbDracPlr;
  config.task.curriculum = is_replay                 ? CurriculumKind::kPlr
                           : method == Method::kTscl ? CurriculumKind::kTscl
                                                     : CurriculumKind::kUniform;
  config.task.decide = Decide::kEpisode;
  config.tscl = {};
  config.mixreg = {.alpha = method == Method::kMixreg ? 0.01 : 0};
  config.drac.enabled = method == Method::kUcbDrac || method == Method::kUcbDracPlr;
  config.drac.augmentation = learn::Augmentation::kUcb;
  config.drac.coef = learn::DracConfig{}.coef;
  config.drac.ucb = {};
}

std::string method_text(const TrainConfig& config) {
  std::string text = to_text(config.task.curriculum);
  if (config.task.decide == Decide::kRollout && config.task.curriculum == CurriculumKind::kPlr) {
    text = config.rollout_replay.num_edits > 0 ? "accel" : "plr";
    if (text == "plr" && !config.rollout_replay.learn_on_new) text += "-perp";
  }
  if (config.mixreg.alpha > 0) text += "-mixreg";
  if (config.drac.enabled) text += "-" + to_text(config.drac.augmentation);
  return text;
}

std::string to_toml(const TrainConfig& config) {
  std::ostringstream toml;
  toml << "# Every setting of this run: plr train --config with this file repeats it.\n";
  visit_groups(config, [&](const char* title, const auto& group) {
    toml << "\n# " << title << "\n";
    visit_fields(
        group, [&](std::string_view name, const auto& value, const Bounds&, std::string_view help) {
          const std::string text = to_text(value);
          toml << name << " = " << (is_quoted(value) ? run::toml_string(text) : text) << "  # "
               << help << "\n";
        });
  });
  return toml.str();
}

}  // namespace plr::train

#include "plr/train/config.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"

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

// The same for Procgen. Episodes are long, so evaluations are rarer.
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
  config.ppo.epochs = 3;
  config.ppo.adam.learning_rate = 5e-4;
  return config;
}

// The settings of JaxUED's maze scripts with domain randomization: every episode a new level.
TrainConfig maze_domain_randomization() {
  TrainConfig config;
  config.task.env = "maze/random-25";
  config.task.levels = "full";
  config.task.curriculum = CurriculumKind::kUniform;
  config.env.num_slots = 32;
  config.schedule.steps = 245'760'000;  // 30,000 rollouts
  config.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;
  config.schedule.eval_interval = 250;
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

double learning_rate_of(const TrainConfig& config, std::int64_t update) {
  const double rate = config.ppo.adam.learning_rate;
  if (config.schedule.learning_rate_schedule == LearningRateSchedule::kConstant) return rate;
  return rate * (1 - static_cast<double>(update) / static_cast<double>(num_updates(config)));
}

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
    if (setting.name == "env") catalog::check_env_name(setting.value);
    set(config, setting.name, setting.value);
  });
}

std::set<std::string> set_by_file(TrainConfig& config, const std::filesystem::path& file) {
  std::set<std::string> names;
  for (const run::Setting& setting : run::parse_flat_settings(read_text(file), file.string())) {
    set(config, setting);
    names.insert(setting.name);
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
  config.tscl = {};
  config.mixreg = {.alpha = method == Method::kMixreg ? 0.01 : 0};
  config.drac.enabled = method == Method::kUcbDrac || method == Method::kUcbDracPlr;
  config.drac.augmentation = learn::Augmentation::kUcb;
  config.drac.coef = learn::DracConfig{}.coef;
  config.drac.ucb = {};
}

std::string method_text(const TrainConfig& config) {
  std::string text = to_text(config.task.curriculum);
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

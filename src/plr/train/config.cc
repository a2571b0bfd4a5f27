#include "plr/train/config.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <sstream>
#include <stdexcept>

#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/plugins.h"
#include "plr/run/layout.h"
#include "plr/run/method_name.h"

namespace plr::train {
namespace {

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

void check_shards(const TrainConfig& config) {
  const std::int64_t shards = config.schedule.shards;
  if (shards <= 1) return;
  if (!std::has_single_bit(static_cast<std::uint64_t>(shards))) {
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
  if (batch < 2 * std::max<std::int64_t>(config.schedule.shards, 1)) {
    throw std::invalid_argument(
        "num_slots * rollout_length must be at least 2 for each shard, not " +
        std::to_string(batch));
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

void set_algorithm(TrainConfig& config, std::string_view name) {
  if (!name.empty()) set_algorithm(config, enum_from<Algorithm>("algorithm", name));
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

void set_method(TrainConfig& config, std::string_view name) {
  if (!name.empty()) set_method(config, enum_from<Method>("method", name));
}

std::string method_name(const TrainConfig& config) {
  run::SettingTexts settings;
  visit_groups(config, [&](const char*, const auto& group) {
    visit_fields(group, [&](std::string_view name, const auto& value, const auto&...) {
      settings.emplace(name, to_text(value));
    });
  });
  return run::method_name(settings);
}

std::string no_update_note(const TrainConfig& config) {
  const RolloutReplayConfig& replay = config.rollout_replay;
  const bool needs_buffer = config.task.decide == Decide::kRollout &&
                            config.task.curriculum == CurriculumKind::kPlr && !replay.learn_on_new;
  const auto needed = static_cast<std::int64_t>(
      std::ceil(replay.buffer.min_fill_ratio * static_cast<double>(replay.buffer.capacity)));
  const std::int64_t num_rollouts = config.schedule.steps / steps_per_update(config);
  if (!needs_buffer || (num_rollouts - 1) * config.env.num_slots >= needed) return "";
  return "this run ends before the agent learns: it learns from replayed levels, replay begins "
         "when "
         "the buffer has " +
         std::to_string(needed) + " levels, and " + std::to_string(num_rollouts) + " rollouts of " +
         std::to_string(config.env.num_slots) +
         " slots fill it no further; lower buffer_capacity, or raise steps";
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

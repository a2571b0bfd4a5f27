#include "plr/report/labels.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "plr/base/closest_name.h"
#include "plr/catalog/family.h"
#include "plr/core/curriculum.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay_config.h"
#include "plr/report/number_format.h"
#include "plr/run/method_name.h"

namespace plr::report {
namespace {

// The settings of level replay and of its scores, which uniform sampling ignores. It has the start
// too, and gamma and gae_lambda are also the learner's.
const std::set<std::string>& replay_settings() {
  static const std::set<std::string> all = [] {
    std::set<std::string> names;
    const auto add = [&](const auto& field, const auto&) { names.emplace(field.name()); };
    visit_descriptions(LevelReplayConfig{}, add);
    visit_descriptions(EpisodeScorerConfig{}, add);
    visit_descriptions(StartConfig{}, [&](const auto& field, const auto&) {
      names.erase(std::string(field.name()));
    });
    names.erase(std::string(EpisodeScorerConfig::kGamma.name()));
    names.erase(std::string(EpisodeScorerConfig::kGaeLambda.name()));
    return names;
  }();
  return all;
}

bool is_drac_setting(const std::string& name) {
  return name.starts_with("drac_") || name.starts_with("ucb_") || name == "augmentation" ||
         name == "flip_left_right" || name == "overbright_cutout";
}

// Whether the run's network is not of this kind; false if the run does not tell.
bool has_other_network(const RunData& run, NetworkKind kind, std::string_view name) {
  const std::string& choice = run.setting("network");
  if (!choice.empty() && choice != "auto") return choice != name;
  const Family* family = catalog::find_family(run.env());
  return family != nullptr && family->network != kind;
}

// Whether a setting can change the run: a curriculum, a regularizer and a network ignore the
// settings of others.
bool has_effect(const RunData& run, const std::string& name) {
  if (replay_settings().contains(name)) return run::curriculum_name(run.settings) != "uniform";
  if (is_drac_setting(name)) return run.setting("drac") == "true";
  if (name == "channels" || name == "pool" || name == "shared_hidden") {
    return !has_other_network(run, NetworkKind::kGridCnn, "grid-cnn");
  }
  if (name == "relu_skip") return !has_other_network(run, NetworkKind::kImpala, "impala");
  return true;
}

// The settings in which the released code differs, with its values.
const std::map<std::string, std::string>& released_settings() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> settings;
    const auto add = [&](const auto& field, const auto&) {
      if (field.released()) settings.emplace(field.name(), to_text(*field.released()));
    };
    visit_descriptions(LevelReplayConfig{}, add);
    visit_descriptions(EpisodeScorerConfig{}, add);
    return settings;
  }();
  return all;
}

bool is_released_code(const RunData& run) {
  return std::all_of(released_settings().begin(), released_settings().end(),
                     [&](const auto& entry) { return run.setting(entry.first) == entry.second; });
}

// The method's name per run, with ", released-code" for runs that have all settings of the released
// code if other runs of the method do not.
std::vector<std::string> method_names(std::span<const RunData> runs) {
  std::map<std::string, std::set<bool>> kinds;  // whether released code, by method
  for (const RunData& run : runs)
    kinds[run::method_name(run.settings)].insert(is_released_code(run));
  std::vector<std::string> methods;
  for (const RunData& run : runs) {
    const std::string method = run::method_name(run.settings);
    const bool needs_suffix = kinds[method].size() == 2 && is_released_code(run);
    methods.push_back(needs_suffix ? method + ", released-code" : method);
  }
  return methods;
}

std::set<std::string> setting_names(std::span<const RunData> runs) {
  std::set<std::string> names;
  for (const RunData& run : runs) {
    for (const auto& [name, value] : run.settings) names.insert(name);
  }
  return names;
}

}  // namespace

bool is_irrelevant_setting(const std::string& name) {
  constexpr std::array kNames = {"seed",           "device",
                                 "threads",        "num_workers",
                                 "deterministic",  "checkpoint_interval",
                                 "eval_interval",  "eval_episodes",
                                 "final_episodes", "levels_interval",
                                 "plugin"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<std::string> run_labels(std::span<const RunData> runs) {
  std::vector<std::string> labels = method_names(runs);
  std::map<std::string, std::set<std::string>> differing;  // settings by label
  for (const std::string& name : setting_names(runs)) {
    if (is_irrelevant_setting(name)) continue;
    // Which runs of an environment this setting must be equal in to be left out.
    const auto scope = [&](std::size_t i) -> std::string {
      if (name == "steps") return "";  // a budget matters in every comparison
      return released_settings().contains(name) ? labels[i] : run::method_name(runs[i].settings);
    };
    std::map<std::pair<std::string, std::string>, std::string>
        first;                     // value by environment, scope
    std::set<std::string> scopes;  // in which the setting differs in some environment
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!has_effect(runs[i], name)) continue;
      const std::string& value = runs[i].setting(name);
      const auto [entry, is_new] = first.try_emplace({runs[i].env(), scope(i)}, value);
      if (!is_new && entry->second != value) scopes.insert(scope(i));
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (scopes.contains(scope(i))) differing[labels[i]].insert(name);
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string method = labels[i];
    for (const std::string& name : differing[method]) {
      const bool is_long = name == "steps";
      const std::string value =
          is_long ? short_number(runs[i].steps_planned()) : runs[i].setting(name);
      labels[i] += ", " + name + " " + value;
    }
  }
  return labels;
}

std::vector<std::string> ordered_labels(std::span<const std::string> labels) {
  constexpr std::array kOrder = {"uniform",      "tscl",     "mixreg", "ucb-drac", "plr",
                                 "ucb-drac+plr", "plr-perp", "accel",  "sfl"};
  const auto key = [&](const std::string& label) {
    const std::string method = label.substr(0, label.find(','));
    const auto position = std::find(kOrder.begin(), kOrder.end(), method) - kOrder.begin();
    return std::pair(position, label);
  };
  const std::set<std::string> distinct(labels.begin(), labels.end());
  std::vector<std::string> ordered(distinct.begin(), distinct.end());
  std::sort(ordered.begin(), ordered.end(),
            [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return ordered;
}

std::size_t label_index(std::span<const std::string> labels, const std::string& label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end()) {
    throw std::invalid_argument("no run has the method '" + label + "'; did you mean " +
                                closest_name(label, labels) + "?");
  }
  return static_cast<std::size_t>(found - labels.begin());
}

std::vector<std::string> differing_settings(std::span<const RunData> runs) {
  std::vector<std::string> differing;
  for (const std::string& name : setting_names(runs)) {
    if (name == "seed") continue;
    const auto differs = [&](const RunData& run) {
      return run.setting(name) != runs.front().setting(name);
    };
    if (std::any_of(runs.begin(), runs.end(), differs)) differing.push_back(name);
  }
  return differing;
}

}  // namespace plr::report

#include "plr/report/labels.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay_config.h"
#include "plr/report/svg_chart.h"

namespace plr::report {
namespace {

// What is no choice of method: which repetition it is, and what the machine or its user decides.
bool tells_nothing(const std::string& name) {
  constexpr std::array kNames = {"seed",           "device",        "threads",
                                 "num_workers",    "deterministic", "checkpoint_interval",
                                 "eval_interval",  "eval_episodes", "final_episodes",
                                 "levels_interval"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_on(const std::string& value) { return !value.empty() && value != "false" && value != "0"; }

// Whether every setting of `config` in which the released code differs has its value there.
template <class Config>
bool is_released_code(const RunData& run, const Config& config) {
  bool is_released = true;
  visit_descriptions(config, [&](const auto& field, const auto&) {
    if (!field.released()) return;
    is_released &= run.setting(std::string(field.name())) == to_text(*field.released());
  });
  return is_released;
}

bool is_released_code(const RunData& run) {
  return is_released_code(run, LevelReplayConfig{}) && is_released_code(run, EpisodeScorerConfig{});
}

// "plr, released-code" where others of the method follow another algorithm; else as method_of.
std::vector<std::string> methods_of(std::span<const RunData> runs) {
  std::map<std::string, std::set<bool>> kinds;
  for (const RunData& run : runs) kinds[method_of(run)].insert(is_released_code(run));
  std::vector<std::string> methods;
  for (const RunData& run : runs) {
    const std::string method = method_of(run);
    const bool is_told = kinds[method].size() == 2 && is_released_code(run);
    methods.push_back(is_told ? method + ", released-code" : method);
  }
  return methods;
}

std::set<std::string> names_of(std::span<const RunData> runs) {
  std::set<std::string> names;
  for (const RunData& run : runs) {
    for (const auto& [name, value] : run.settings) names.insert(name);
  }
  return names;
}

}  // namespace

std::string method_of(const RunData& run) {
  std::vector<std::string> parts;
  if (is_on(run.setting("drac"))) {
    const std::string& augmentation = run.setting("augmentation");
    parts.push_back(augmentation == "ucb" ? "ucb-drac" : "drac-" + augmentation);
  }
  if (is_on(run.setting("mixreg"))) parts.emplace_back("mixreg");
  if (run.setting("curriculum") != "uniform") parts.push_back(run.setting("curriculum"));
  if (parts.empty()) return "uniform";
  std::string method = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) method += "+" + parts[i];
  return method;
}

std::vector<std::string> labels_of(std::span<const RunData> runs) {
  std::vector<std::string> labels = methods_of(runs);
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    alike[{runs[i].env(), labels[i]}].push_back(i);
  }
  // A setting that differs anywhere within a method belongs to the names of all of its runs.
  std::map<std::string, std::set<std::string>> telling;  // by method
  for (const std::string& name : names_of(runs)) {
    if (tells_nothing(name)) continue;
    for (const auto& [key, members] : alike) {
      const std::string& first = runs[members.front()].setting(name);
      const auto differs = [&](std::size_t i) { return runs[i].setting(name) != first; };
      if (std::any_of(members.begin(), members.end(), differs)) telling[key.second].insert(name);
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string method = labels[i];
    for (const std::string& name : telling[method]) {
      const bool is_long = name == "steps";  // 50M says it as well
      const std::string value =
          is_long ? tick_text(runs[i].steps_planned()) : runs[i].setting(name);
      labels[i] += ", " + name + " " + value;
    }
  }
  return labels;
}

std::vector<std::string> ordered_labels(std::span<const std::string> labels) {
  // The order of the paper's tables; what it does not know comes last, by the alphabet.
  constexpr std::array kOrder = {"uniform", "tscl", "mixreg", "ucb-drac", "plr", "ucb-drac+plr"};
  const auto key = [&](const std::string& label) {
    const std::string method = label.substr(0, label.find(','));
    const auto place = std::find(kOrder.begin(), kOrder.end(), method) - kOrder.begin();
    return std::pair(place, label);
  };
  const std::set<std::string> distinct(labels.begin(), labels.end());
  std::vector<std::string> ordered(distinct.begin(), distinct.end());
  std::sort(ordered.begin(), ordered.end(),
            [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return ordered;
}

std::vector<std::string> differing_settings(std::span<const RunData> runs) {
  std::vector<std::string> differing;
  for (const std::string& name : names_of(runs)) {
    if (name == "seed") continue;
    const auto differs = [&](const RunData& run) {
      return run.setting(name) != runs.front().setting(name);
    };
    if (std::any_of(runs.begin(), runs.end(), differs)) differing.push_back(name);
  }
  return differing;
}

}  // namespace plr::report

// The name of a run's method, from its settings, as its paper writes it.
//
//   method_name({{"curriculum", "plr"}, {"drac", "true"}, {"augmentation", "ucb"}})  //
//   ucb-drac+plr
//
// Functions without state; thread-safe.
#pragma once

#include <map>
#include <string>

namespace plr::run {

using SettingTexts = std::map<std::string, std::string>;  // value by name

// The method that chooses the levels. With `decide = rollout`, PLR that learns from replayed levels
// only is robust PLR, "plr-perp", and PLR with edits is "accel".
std::string curriculum_name(const SettingTexts& settings);

// "uniform", "tscl", "mixreg", "ucb-drac", "plr", "ucb-drac+plr", "drac-crop+plr", "plr-perp", ...
std::string method_name(const SettingTexts& settings);

}  // namespace plr::run

// The facts in a checkpoint of a run (Checkpoint::facts): steps done, whether the run is final, the
// sizes of its logs, its settings, and the spaces of its environment.
//
//   checkpoint.facts = CheckpointFacts{.steps = 98304, .sizes = files.sync()};
//   const CheckpointFacts facts = load_run_facts("runs/a");
//
// Copyable values; concurrent reads are safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "plr/run/behavior_version.h"
#include "plr/run/parse_json.h"

namespace plr::run {

// In bytes, at the checkpoint.
struct LogSizes {
  std::uint64_t log = 0;
  std::uint64_t eval = 0;
  std::uint64_t levels = 0;
  std::uint64_t events = 0;
};

struct CheckpointFacts {
  std::int64_t steps = 0;
  bool is_final = false;  // the final evaluation is done
  // Rollouts that the agent has learned from; checkpoints of earlier versions lack it: all.
  std::optional<std::int64_t> gradient_updates = {};
  LogSizes sizes = {};
  std::int64_t behavior_version = kUnnamedBehaviorVersion;  // of the program that saved
  // Name and value of every setting and the digest of a plug-in (train::settings_to_save); empty in
  // checkpoints of earlier versions.
  std::map<std::string, std::string> settings = {};
  // Observations and actions of the environment (train::spaces_to_json), by which an agent is
  // loaded without it; null in checkpoints of earlier versions.
  nlohmann::json spaces = nullptr;
};

// A whole number of a checkpoint. Throws std::runtime_error if it is none or out of range.
template <std::integral T>
T whole_fact(const nlohmann::json& json, const char* name) {
  const std::optional<T> number = whole_number<T>(json.at(name));
  if (!number) throw std::runtime_error(std::string(name) + " is not a whole number in range");
  return *number;
}

// The names in JSON are those of the members.
inline void to_json(nlohmann::json& json, const LogSizes& sizes) {
  json = {
      {"log", sizes.log}, {"eval", sizes.eval}, {"levels", sizes.levels}, {"events", sizes.events}};
}
inline void from_json(const nlohmann::json& json, LogSizes& sizes) {
  sizes = {.log = whole_fact<std::uint64_t>(json, "log"),
           .eval = whole_fact<std::uint64_t>(json, "eval"),
           .levels = whole_fact<std::uint64_t>(json, "levels"),
           .events = whole_fact<std::uint64_t>(json, "events")};
}

inline void to_json(nlohmann::json& json, const CheckpointFacts& facts) {
  json = {{"steps", facts.steps},
          {"is_final", facts.is_final},
          {"sizes", facts.sizes},
          {"behavior_version", facts.behavior_version}};
  if (facts.gradient_updates) json["gradient_updates"] = *facts.gradient_updates;
  if (!facts.settings.empty()) json["settings"] = facts.settings;
  if (!facts.spaces.is_null()) json["spaces"] = facts.spaces;
}
inline void from_json(const nlohmann::json& json, CheckpointFacts& facts) {
  facts.steps = whole_fact<std::int64_t>(json, "steps");
  json.at("is_final").get_to(facts.is_final);
  json.at("sizes").get_to(facts.sizes);
  if (json.contains("gradient_updates")) {
    facts.gradient_updates = whole_fact<std::int64_t>(json, "gradient_updates");
  }
  if (json.contains("behavior_version")) {
    facts.behavior_version = whole_fact<std::int64_t>(json, "behavior_version");
  }
  if (json.contains("settings")) json.at("settings").get_to(facts.settings);
  if (json.contains("spaces")) facts.spaces = json.at("spaces");
}

}  // namespace plr::run

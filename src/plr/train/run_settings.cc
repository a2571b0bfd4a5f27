#include "plr/train/run_settings.h"

#include <set>
#include <stdexcept>
#include <string>

#include "plr/base/files.h"
#include "plr/catalog/plugins.h"
#include "plr/run/layout.h"

namespace plr::train {

namespace layout = run::layout;

namespace {

constexpr const char* kPluginDigest = "plugin_sha256";

// "FILE:LINE" of a setting in a run's config.toml.
std::string place_of(const std::string& name, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / layout::kConfig;
  for (const run::Setting& setting :
       run::parse_flat_settings(read_text(path, kMaxSettingsSize), path.string())) {
    if (setting.name == name) return setting.place;
  }
  return path.string();
}

// Whether a setting is one of the computation, such as the device.
bool decides_where(const std::string& name) {
  bool found = false;
  const learn::ComputeConfig compute;
  visit_fields(compute, [&](std::string_view field, auto&&...) { found = found || field == name; });
  return found;
}

}  // namespace

TrainConfig config_of_run(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / layout::kConfig;
  if (!std::filesystem::exists(path)) {
    throw std::invalid_argument("there is no run in " + folder.string() + " (no config.toml)");
  }
  TrainConfig config;
  std::set<std::string> given = set_by_file(config, path);
  for (const AddedSetting& added : kAddedSettings) {
    if (given.insert(std::string(added.name)).second) {
      set(config, added.name, std::string(added.value));
    }
  }
  for (const auto& [name, value] : values_of(config)) {
    if (!given.contains(name)) {
      throw std::invalid_argument(path.string() + " has no " + name +
                                  "; the settings of a run must be complete");
    }
  }
  return config;
}

std::map<std::string, std::string> settings_to_save(const TrainConfig& config) {
  std::map<std::string, std::string> settings = values_of(config);
  const catalog::LoadedPlugin* plugin = catalog::find_plugin(config.task.env);
  if (plugin != nullptr) settings[kPluginDigest] = plugin->sha256;
  return settings;
}

std::string plugin_note(const TrainConfig& config,
                        const std::map<std::string, std::string>& saved) {
  const catalog::LoadedPlugin* plugin = catalog::find_plugin(config.task.env);
  const auto digest = saved.find(kPluginDigest);
  if (plugin == nullptr || digest == saved.end() || plugin->sha256 == digest->second) return "";
  return "the plug-in " + plugin->path +
         " has changed since this run's checkpoint: its episodes may differ from those before";
}

std::vector<std::string> compare_with_checkpoint(const TrainConfig& config,
                                                 const std::map<std::string, std::string>& saved,
                                                 const std::filesystem::path& folder) {
  TrainConfig trained = config;
  for (const auto& [name, value] : saved) {
    try {
      set(trained, name, value);
    } catch (const std::invalid_argument&) {
      // A setting or a value that this version does not have.
    }
  }
  std::vector<std::string> notes;
  const std::map<std::string, std::string> before = values_of(trained);
  for (const auto& [name, value] : values_of(config)) {
    const std::string& old = before.at(name);
    const bool is_free = name == ScheduleConfig::kSteps.name() ||
                         name == EnvOptions::kNumWorkers.name() ||
                         name == TaskConfig::kPlugin.name();
    if (value == old || is_free) continue;
    if (decides_where(name)) {
      notes.push_back(name + " was " + old + " and is " + value +
                      ": the last bits of the rest of the run may differ");
    } else {
      throw std::invalid_argument(place_of(name, folder) + ": " + name + " is " + value +
                                  ", but the run was trained with " + old +
                                  "; restore the line, or start a new run with --config");
    }
  }
  const std::string plugin = plugin_note(config, saved);
  if (!plugin.empty()) notes.push_back(plugin);
  return notes;
}

}  // namespace plr::train

#include "plr/train/run_settings.h"

#include <set>
#include <stdexcept>
#include <string>

#include "plr/run/layout.h"

namespace plr::train {

namespace layout = run::layout;

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

}  // namespace plr::train

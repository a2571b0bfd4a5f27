#include "plr/run/settings_file.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <stdexcept>

namespace plr {
namespace {

std::string section_of(const CLI::ConfigItem& item) {
  std::string section;
  for (const std::string& parent : item.parents) section += (section.empty() ? "" : ".") + parent;
  return section;
}

}  // namespace

std::vector<SettingLine> lines_of_toml(const std::string& toml, const std::string& source) {
  std::istringstream text(toml);
  std::vector<SettingLine> lines;
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
      // The reader's own marks of a section's begin and end.
      if (item.inputs.empty() && (item.name == "++" || item.name == "--")) continue;
      lines.push_back({section_of(item), item.name, item.inputs});
    }
  } catch (const CLI::Error& error) {
    throw std::invalid_argument(source + ": " + error.what());
  }
  return lines;
}

std::map<std::string, std::string> values_of_toml(const std::string& toml,
                                                  const std::string& source) {
  std::map<std::string, std::string> settings;
  for (const SettingLine& line : lines_of_toml(toml, source)) {
    if (!line.section.empty() || line.values.size() != 1) {
      throw std::invalid_argument(source + ": " + line.name +
                                  " must be one value, and settings have no sections");
    }
    settings[line.name] = line.values.front();
  }
  return settings;
}

}  // namespace plr

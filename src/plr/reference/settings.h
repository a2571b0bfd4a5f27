// All settings of a run as texts: what a page or a help text says about each.
//
//   for (const SettingGroup& group : setting_groups())
//     for (const SettingText& setting : group.settings) ...   // name, default, values, meaning
//
// Copyable values; thread-safe.
#pragma once

#include <string>
#include <vector>

namespace plr::reference {

struct Choice {
  std::string name;
  std::string meaning;
};

struct SettingText {
  std::string name;             // "learning_rate"
  std::string default_value;    // empty for an empty text
  std::string values;           // "above 0", "true or false", "text"; empty if there are choices
  std::string meaning;          // one sentence
  std::string paper;            // the value in the paper, if it is not the default
  std::string released;         // the value in the released code, if it is not the default
  std::vector<Choice> choices;  // of an enumeration
};

struct SettingGroup {
  std::string title;
  std::vector<SettingText> settings;
};

std::vector<SettingGroup> setting_groups();

// A preset: its name, its summary, and the settings that differ from the defaults.
struct PresetText {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> settings;
};

std::vector<PresetText> preset_texts();

}  // namespace plr::reference

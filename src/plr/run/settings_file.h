// Reads and writes files of settings in TOML.
//
//   for (const Setting& setting : parse_flat_settings(read_text(path), path)) {
//     with_place(setting.place, [&] { set(config, setting.name, setting.value); });
//   }
//
// Values remain texts: what they mean is decided by the config that has a field of that name
// (base/fields.h). A number keeps the spelling of the file, so 1.0 stays "1.0".
//
// Errors throw std::invalid_argument: "SOURCE:LINE:COLUMN: what is wrong" for invalid TOML,
// "SOURCE:LINE: what is wrong" for a setting. The functions are thread-safe.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plr::run {

// One  name = value  of a file.
struct Setting {
  std::string name = {};
  std::string value = {};
  std::string place = {};  // of the name, "SOURCE:LINE", for messages
};

// The settings of a file without sections and lists, such as a run's config.toml, in the order of
// the file. `source` names the text in messages. TOML integers are signed 64-bit numbers; unsigned
// ones, such as seeds, are read too.
std::vector<Setting> parse_flat_settings(const std::string& toml, const std::string& source);

// One  name = value  or  name = [value, ...]  of a file with sections.
struct ParsedSetting {
  std::string section;  // "a.b" below [a.b]; empty above all sections
  std::string name;
  std::vector<std::string> values;  // the elements of a list, otherwise one
  std::string place;
};

// The settings of a file with sections and lists, in the order of the file. A section without
// settings is an element without name and values.
std::vector<ParsedSetting> parse_settings(const std::string& toml, const std::string& source);

// NAME=VALUE as given to an option such as --set, whose name is its place. Throws
// std::invalid_argument naming the option if there is no '='.
Setting parse_assignment(const std::string& option, const std::string& text);

// Calls use(). A std::invalid_argument that it throws gets "PLACE: " in front of its message.
template <class Use>
void with_place(const std::string& place, Use use) {
  try {
    use();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(place + ": " + error.what());
  }
}

// A text as a TOML string, in quotes and with escapes. Throws std::invalid_argument if the text is
// not UTF-8, which TOML requires.
std::string toml_string(std::string_view text);

}  // namespace plr::run

// Reads and writes files of settings in TOML.
//
//   for (const ParsedSetting& setting : parse_settings(read_text(path), path)) ...
//   for (const auto& [name, value] : parse_flat_settings(read_text(path), path)) ...
//
// Values remain texts: what they mean is decided by the config that has a field of that name
// (base/fields.h). A number keeps the spelling of the file, so 1.0 stays "1.0".
//
// Errors throw std::invalid_argument "SOURCE:LINE:COLUMN: what is wrong". The functions are
// thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plr::run {

// One  name = value  or  name = [value, ...]  of a file.
struct ParsedSetting {
  std::string section;  // "a.b" below [a.b]; empty above all sections
  std::string name;
  std::vector<std::string> values;  // the elements of a list, otherwise one
  int line = 0;                     // of the name, from 1
  int column = 0;
};

// All settings in the order of the file. `source` names the text in messages. TOML integers are
// signed 64-bit numbers; unsigned ones, such as seeds, are read too.
std::vector<ParsedSetting> parse_settings(const std::string& toml, const std::string& source);

// Settings of a file without sections and lists, such as a run's config.toml, by name.
std::map<std::string, std::string> parse_flat_settings(const std::string& toml,
                                                       const std::string& source);

// A text as a TOML string, in quotes and with escapes. Throws std::invalid_argument if the text is
// not UTF-8, which TOML requires.
std::string toml_string(std::string_view text);

}  // namespace plr::run

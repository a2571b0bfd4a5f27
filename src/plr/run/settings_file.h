// How do settings come out of a file?
//
// The file is TOML: lines as  name = value  under sections as  [name].  What the values mean is
// left to whoever knows the names; they stay texts here.
//
//   for (const auto& [name, value] : values_of_toml(read_text(path), path)) ...
//
// Between quotes stands any text, with \" \\ \n \r \t for what cannot; between '...' all as it is.
// What cannot be read throws std::invalid_argument naming the source and what is wrong in it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plr::run {

// A line of the file.
struct SettingLine {
  std::string section;  // "a.b" of [a.b]; empty before the first
  std::string name;
  std::vector<std::string> values;  // several of a list, else one
};

// All lines in their order.  `source` names the text in messages.
std::vector<SettingLine> lines_of_toml(const std::string& toml, const std::string& source);

// Of a file without sections and lists, as a run's config.toml is: values by their names.
std::map<std::string, std::string> values_of_toml(const std::string& toml,
                                                  const std::string& source);

// A text between quotes, which is read as the same text.
std::string toml_text(std::string_view text);

}  // namespace plr::run

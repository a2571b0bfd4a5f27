// A file name for any text: lower case, with a hyphen for every character that is special to a
// shell or a file system.
//
//   file_name("DoorKey-8x8, staleness_coef 0.3")      // doorkey-8x8--staleness_coef-0.3
//
// Different texts may get the same name. Thread-safe.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace plr::run {

inline std::string file_name(std::string_view text) {
  std::string name;
  for (const unsigned char c : text) {
    const bool is_plain = std::isalnum(c) != 0 || c == '.' || c == '+' || c == '_';
    name += is_plain ? static_cast<char>(std::tolower(c)) : '-';
  }
  return name;
}

}  // namespace plr::run

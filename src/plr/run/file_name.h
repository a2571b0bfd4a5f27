// What is a text called as a file?
//
// Small letters, and a hyphen for all that a shell or a system might mind:
//
//   file_name("DoorKey-8x8, staleness_coef 0.3")      // doorkey-8x8--staleness_coef-0.3
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

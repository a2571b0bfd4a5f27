// A number and its noun in the singular or plural.
//
//   counted(1, "run")    // "1 run"
//   counted(20, "run")   // "20 runs"
//
// A free function without state; thread-safe.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace plr {

std::string counted(std::integral auto number, std::string_view noun) {
  std::string text = std::to_string(number);
  text.append(" ").append(noun);
  if (number != 1) text += 's';
  return text;
}

}  // namespace plr

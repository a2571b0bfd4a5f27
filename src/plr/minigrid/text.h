// Concatenates strings and integers.  Stateless: thread-safe.
//
//   text("LavaGapS", 5, "-v0")   // "LavaGapS5-v0"
#pragma once

#include <concepts>
#include <string>

namespace plr::minigrid {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::string all;
  const auto append = [&all](const auto& part) {
    if constexpr (std::integral<std::decay_t<decltype(part)>> &&
                  !std::same_as<std::decay_t<decltype(part)>, char>) {
      all += std::to_string(part);
    } else {
      all += part;
    }
  };
  (append(parts), ...);
  return all;
}

}  // namespace plr::minigrid

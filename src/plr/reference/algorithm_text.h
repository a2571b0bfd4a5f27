// The text of docs/algorithm.md, embedded into the program at build time (cmake/EmbedText.cmake).
//
// Immutable; thread-safe.
#pragma once

#include <string_view>

namespace plr::reference {

extern const std::string_view kAlgorithmText;

}  // namespace plr::reference

// SHA-512 (FIPS 180-4) of messages that fit into one block, for the seeds of gym 0.17.
//
// Stateless: thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plr::minigrid {

// The digest as eight big-endian words.  REQUIRES: message.size() < 112.
std::array<std::uint64_t, 8> sha512(std::string_view message);

}  // namespace plr::minigrid

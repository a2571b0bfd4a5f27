// What is the SHA-512 digest of a short text?
//
// Just enough of FIPS 180-4 for the seeds of gym 0.17: messages that fit one block.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plr::minigrid {

// The digest as eight big-endian words.  The message must be shorter than 112 bytes.
std::array<std::uint64_t, 8> sha512(std::string_view message);

}  // namespace plr::minigrid

// SHA-256 (FIPS 180-4), for files that must be exactly the published ones.
//
//   sha256(bytes)      // "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
//
// About 200 MB/s. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plr {

// 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace plr

// CRC-32C (Castagnoli; RFC 3720, appendix B.4), the checksum of TensorBoard's records.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plr::run {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace plr::run

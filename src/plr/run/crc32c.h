// Which checksum do TensorBoard's records carry?
//
// CRC-32C (Castagnoli), as in RFC 3720, appendix B.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plr::run {

std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace plr::run

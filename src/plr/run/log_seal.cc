#include "plr/run/log_seal.h"

#include <algorithm>

namespace plr::run {

void LogSeal::add(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;  // FNV-1a with 64 bits
  size_ += bytes.size();
  for (const std::byte byte : bytes) {
    checksum_ = (checksum_ ^ std::to_integer<std::uint64_t>(byte)) * kPrime;
    if (byte == std::byte{'\n'}) lines_.push_back(static_cast<std::uint32_t>(checksum_));
  }
}

std::optional<std::size_t> LogSeal::first_difference(const LogSeal& other) const {
  if (size_ == other.size_ && checksum_ == other.checksum_) return std::nullopt;
  const auto [here, there] = std::ranges::mismatch(lines_, other.lines_);
  return static_cast<std::size_t>(here - lines_.begin()) + 1;
}

void LogSeal::save(ByteWriter& writer) const {
  writer.number(size_);
  writer.number(checksum_);
  writer.numbers(std::span<const std::uint32_t>(lines_));
}

LogSeal LogSeal::load(ByteReader& reader) {
  LogSeal seal;
  seal.size_ = reader.number<std::uint64_t>();
  seal.checksum_ = reader.number<std::uint64_t>();
  seal.lines_ = reader.numbers<std::uint32_t>(seal.size_);  // a line has at least one byte
  return seal;
}

}  // namespace plr::run

// The seal of a log: a running checksum after every line, by which a later change is found.
//
//   LogSeal seal;
//   seal.add(record);                                    // as it is appended to the file
//   if (const auto line = seal.first_difference(found)) ...
//
// A checkpoint has the seals of the logs at its update. A changed, inserted or removed byte changes
// the checksum of its line and of all later ones. The seal protects against mistakes, not against
// a person who computes it again.
//
// add() takes O(bytes) time; a seal has 4 bytes per line. Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/bytes.h"

namespace plr::run {

class LogSeal {
 public:
  void add(std::span<const std::byte> bytes);

  std::uint64_t size() const { return size_; }  // bytes added

  // The number of the first line, from 1, whose checksum differs; nothing if the seals are equal.
  std::optional<std::size_t> first_difference(const LogSeal& other) const;

  void save(ByteWriter& writer) const;
  static LogSeal load(ByteReader& reader);

 private:
  std::uint64_t size_ = 0;
  std::uint64_t checksum_ = checksum({});  // of all bytes, as checksum() of base/bytes.h
  std::vector<std::uint32_t> lines_;       // the low half of the checksum after each line end
};

}  // namespace plr::run

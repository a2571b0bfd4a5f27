// Levels and sets of levels.
//
// A level is a 64-bit id: the seed from which an environment generates it, or from 2^63 on the
// handle of a level in a LevelStore (level_store.h). A LevelSet holds the ids that may be drawn:
//
//   LevelSet::range(0, 200)          the ids 0..199
//   LevelSet::list({3, 14, 15})      these ids, in this order
//   LevelSet::stream(0, 1ULL << 31)  the full distribution: too many ids to keep data for each
//
// The first two are finite: their levels have the indices 0..size()-1, and curricula keep data for
// each. Of a stream they keep a bounded number of levels. Copyable. Immutable, hence thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/id_map.h"

namespace plr {

using LevelId = std::uint64_t;

class LevelSet {
 public:
  // `count` consecutive ids, starting at `first`. Throws std::invalid_argument if count is 0, above
  // 2^32 - 2, or exceeds the last 64-bit id.
  static LevelSet range(LevelId first, std::uint64_t count);
  // These ids. Throws std::invalid_argument if the list is empty or has an id twice.
  static LevelSet list(std::vector<LevelId> ids);
  // `count` consecutive ids, starting at `first`, as a stream.
  static LevelSet stream(LevelId first, std::uint64_t count);

  bool is_stream() const { return is_stream_; }
  std::uint64_t size() const { return count_; }

  // REQUIRES: index < size().
  LevelId operator[](std::uint64_t index) const {
    return ids_.empty() ? first_ + index : ids_[index];
  }

  // The index of an id; nothing if the set does not have it.
  std::optional<std::uint64_t> index_of(LevelId id) const {
    if (!ids_.empty()) return index_.find(id);
    if (id < first_ || id - first_ >= count_) return std::nullopt;
    return id - first_;
  }
  bool contains(LevelId id) const { return index_of(id).has_value(); }

  // The ids of a list; empty for ranges and streams.
  std::span<const LevelId> ids() const { return ids_; }

  // A hash: equal for equal sets, and in practice different for others.
  std::uint64_t fingerprint() const;

 private:
  LevelSet(LevelId first, std::uint64_t count, bool is_stream);

  LevelId first_ = 0;
  std::uint64_t count_ = 0;
  bool is_stream_ = false;
  std::vector<LevelId> ids_;  // for lists only
  IdMap index_;               // for lists only
};

}  // namespace plr

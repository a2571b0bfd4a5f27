// Which levels are there to train on?
//
// A level is a 64-bit id, in practice the seed that an environment makes it from.  A LevelSet says
// which ids may be drawn:
//
//   LevelSet::range(0, 200)          the ids 0..199
//   LevelSet::list({3, 14, 15})      these ids, in this order
//   LevelSet::stream(0, 1ULL << 31)  the full distribution: far too many ids to remember each
//
// The first two are finite: their levels have indices 0..size()-1, and a curriculum keeps something
// for each.  Of a stream it keeps what it wants to see again.  A value type.
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
  // `count` consecutive ids from `first` on.  Throws std::invalid_argument if count is 0, above
  // 2^32 - 2, or runs past the last 64-bit id.
  static LevelSet range(LevelId first, std::uint64_t count);
  // Exactly these ids.  Throws std::invalid_argument if there is none or one is given twice.
  static LevelSet list(std::vector<LevelId> ids);
  // `count` consecutive ids from `first` on, treated as endless.
  static LevelSet stream(LevelId first, std::uint64_t count);

  bool is_stream() const { return is_stream_; }
  std::uint64_t size() const { return count_; }

  // The id at an index below size().
  LevelId operator[](std::uint64_t index) const {
    return ids_.empty() ? first_ + index : ids_[index];
  }

  // The inverse, or nothing where the id is not of this set.
  std::optional<std::uint64_t> index_of(LevelId id) const {
    if (!ids_.empty()) return index_.find(id);
    if (id < first_ || id - first_ >= count_) return std::nullopt;
    return id - first_;
  }
  bool contains(LevelId id) const { return index_of(id).has_value(); }

  // The ids of a list; none for the others, whose ids follow from the first.
  std::span<const LevelId> ids() const { return ids_; }

  // Equal for equal sets, and for others in practice never.
  std::uint64_t fingerprint() const;

 private:
  LevelSet(LevelId first, std::uint64_t count, bool is_stream);

  LevelId first_ = 0;
  std::uint64_t count_ = 0;
  bool is_stream_ = false;
  std::vector<LevelId> ids_;  // of a list only
  IdMap index_;               // of a list only
};

}  // namespace plr

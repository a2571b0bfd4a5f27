#include "plr/core/level.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"

namespace plr {
namespace {

// Finite sets are indexed by 32 bits; the highest index marks an absent entry.
constexpr std::uint64_t kMaxFinite = std::numeric_limits<std::uint32_t>::max() - 1;

void check_finite(std::uint64_t count) {
  if (count > kMaxFinite) {
    throw std::invalid_argument("levels: a finite set holds at most " + std::to_string(kMaxFinite) +
                                " levels, not " + std::to_string(count) + "; use a stream");
  }
}

}  // namespace

LevelSet::LevelSet(LevelId first, std::uint64_t count, bool is_stream)
    : first_(first), count_(count), is_stream_(is_stream) {
  if (count == 0) throw std::invalid_argument("levels: the set is empty; give at least one level");
  if (count - 1 > std::numeric_limits<LevelId>::max() - first) {
    throw std::invalid_argument("levels: " + std::to_string(count) + " levels, starting at " +
                                std::to_string(first) + ", exceed the last 64-bit id");
  }
}

LevelSet LevelSet::range(LevelId first, std::uint64_t count) {
  check_finite(count);
  return {first, count, false};
}

LevelSet LevelSet::stream(LevelId first, std::uint64_t count) { return {first, count, true}; }

std::uint64_t LevelSet::fingerprint() const {
  ByteWriter writer;
  writer.number(first_);
  writer.number(count_);
  writer.number(is_stream_);
  writer.numbers<LevelId>(ids_);
  return checksum(writer.seal("levels", 1));
}

LevelSet LevelSet::list(std::vector<LevelId> ids) {
  check_finite(ids.size());
  LevelSet set(0, ids.size(), false);
  set.index_.reserve(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (!set.index_.insert(ids[i], i)) {
      throw std::invalid_argument("levels: id " + std::to_string(ids[i]) + " is given twice");
    }
  }
  set.ids_ = std::move(ids);
  return set;
}

}  // namespace plr

// Levels that are data, such as the mazes that edits make, behind ids.
//
// A LevelId below 2^63 is a seed, from which an environment generates the level.  An id from 2^63
// on is the handle of bytes in a store, which the environment reads (EnvOptions::store). Everything
// else, such as curricula, rollouts and logs, handles both alike.
//
//   LevelStore store;
//   const LevelId id = store.add(bytes);   // equal bytes, equal id
//   store.bytes(id);
//   store.keep(ids_of_the_buffer);         // drops all others
//
// An id is 2^63 + a 63-bit hash of the bytes, so that a level has the same id in all runs and also
// after it was dropped and added again.  If the id belongs to other bytes, the level gets the next
// free one; the chance of that is n^2 / 2^64 among n levels.  Ids then depend on the order of
// adding, which a resumed run repeats, since save() includes the ids.
//
// A level of a seed and a stored one have different ids even if they are equal: a store knows
// nothing of generators.
//
// add() and bytes() take expected O(size of the level) time.  Not copyable.  Thread-safe: every
// function takes a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/core/level.h"

namespace plr {

inline constexpr LevelId kFirstStoredLevel = LevelId{1} << 63;

// Whether an id is that of a stored level rather than a seed.
constexpr bool is_stored(LevelId level) { return level >= kFirstStoredLevel; }

class LevelStore {
 public:
  using Hash = std::uint64_t (*)(std::span<const std::byte>);
  static constexpr std::size_t kMaxLevelBytes = 1 << 16;

  // Tests pass a hash that collides.
  explicit LevelStore(Hash hash = checksum) : hash_(hash) {}
  LevelStore(const LevelStore&) = delete;
  LevelStore& operator=(const LevelStore&) = delete;

  // The id of these bytes.  Throws std::invalid_argument if they are more than kMaxLevelBytes.
  LevelId add(std::span<const std::byte> bytes);

  bool contains(LevelId id) const;
  // Throws std::out_of_range if the store does not have the id.
  std::vector<std::byte> bytes(LevelId id) const;

  std::size_t size() const;
  // In ascending order.
  std::vector<LevelId> ids() const;

  // Drops all levels that are not among `ids`; seeds among them are ignored.  Throws
  // std::out_of_range if the store does not have one of the others, and then changes nothing.
  // REQUIRES: the levels of episodes that will be saved or loaded are among `ids`.
  void keep(std::span<const LevelId> ids);

  // All levels with their ids, as bytes.  load() throws std::runtime_error if the bytes are
  // damaged, and then changes nothing.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  using Levels = std::unordered_map<LevelId, std::vector<std::byte>>;

  // The id that the bytes have unless it belongs to others.
  LevelId home_of(std::span<const std::byte> bytes) const {
    return kFirstStoredLevel | hash_(bytes) >> 1;
  }
  bool holds(LevelId id, std::span<const std::byte> bytes) const;
  std::vector<LevelId> sorted_ids() const;
  std::vector<LevelId> displaced_among(const Levels& levels) const;

  Hash hash_;
  mutable std::mutex mutex_;  // guards levels_ and displaced_
  Levels levels_;
  std::vector<LevelId> displaced_;  // ids that are not the home of their bytes; practically none
};

}  // namespace plr

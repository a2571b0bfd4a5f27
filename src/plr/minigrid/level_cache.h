// A direct-mapped cache of generated levels.
//
// Generating a level takes microseconds, as long as a hundred steps, and replayed levels come
// often. A level is admitted on its second use and stays until a level that maps to the same entry
// is admitted.  The entry is seed % 8192, so that up to 8192 consecutive seeds do not collide.
//
//   LevelCache levels(task);
//   levels.get(seed, level);   // the same result as level = make_level(task, seed)
//
// Allocates only in the constructor: it reserves memory for 8192 levels, which the system commits
// as levels are admitted.  Not copyable.  Thread-safe: get() takes a lock, once per episode, and
// generates levels outside of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "plr/minigrid/level.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

class LevelCache {
 public:
  explicit LevelCache(const Task& task);

  void get(std::uint64_t seed, Level& level);

  std::size_t num_cached() const { return cached_.size(); }

 private:
  static constexpr std::size_t kNumEntries = 8192;
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  struct Entry {
    std::uint64_t seed = 0;
    int num_uses = 0;              // of this seed, up to two
    std::uint32_t index = kEmpty;  // in cached_
  };

  bool find(std::uint64_t seed, Level& level) const;
  void admit(std::uint64_t seed, const Level& level);

  Task task_;
  mutable std::mutex mutex_;  // of the rest
  std::vector<Entry> entries_;
  std::vector<Level> cached_;
};

}  // namespace plr::minigrid

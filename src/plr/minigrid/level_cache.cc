#include "plr/minigrid/level_cache.h"

namespace plr::minigrid {

LevelCache::LevelCache(const Task& task) : task_(task), entries_(kNumEntries) {
  cached_.reserve(kNumEntries);
}

void LevelCache::get(std::uint64_t seed, Level& level) {
  if (find(seed, level)) return;
  level = make_level(task_, seed);
  admit(seed, level);
}

bool LevelCache::find(std::uint64_t seed, Level& level) const {
  const std::scoped_lock lock(mutex_);
  const Entry& entry = entries_[seed % kNumEntries];
  if (entry.seed != seed || entry.num_uses < 2) return false;
  level = cached_[entry.index];
  return true;
}

// Counts a use, and keeps the level on the second one.
void LevelCache::admit(std::uint64_t seed, const Level& level) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[seed % kNumEntries];
  if (entry.seed != seed) {
    entry.seed = seed;
    entry.num_uses = 0;
  }
  if (entry.num_uses == 2) return;  // another thread has admitted it meanwhile
  if (++entry.num_uses < 2) return;
  if (entry.index == kEmpty) {
    entry.index = static_cast<std::uint32_t>(cached_.size());
    cached_.push_back(level);
  } else {
    cached_[entry.index] = level;
  }
}

}  // namespace plr::minigrid

#include "plr/minigrid/level_cache.h"

namespace plr::minigrid {

LevelCache::LevelCache(const Task& task) : task_(task), entries_(kNumEntries) {
  cached_.reserve(kNumEntries);
}

void LevelCache::get(std::uint64_t seed, Level& level) {
  Entry& entry = entries_[seed % kNumEntries];
  if (entry.seed != seed) {
    entry.seed = seed;
    entry.num_uses = 0;
  }
  if (entry.num_uses == 2) {
    level = cached_[entry.index];
    return;
  }
  level = make_level(task_, seed);
  if (++entry.num_uses < 2) return;
  if (entry.index == kEmpty) {
    entry.index = static_cast<std::uint32_t>(cached_.size());
    cached_.push_back(level);
  } else {
    cached_[entry.index] = level;
  }
}

}  // namespace plr::minigrid

// A cache of the states in which levels start.
//
// Generating a level takes up to a millisecond where a game searches for a solvable one; loading
// the state in which it starts takes a tenth of that.  Replayed levels come often, so the state of
// a level is stored on its second start:
//
//   const StartStateCache::Visit visit = cache.visit(level);
//   if (visit.stored != nullptr) game.set_state(*visit.stored);
//   else { game.start(level); if (visit.must_store) cache.store(level, game.state()); }
//
// Holds at most 16,384 levels and about 64 MB of states.  A stored state never changes and keeps
// its address.  Not copyable.  Thread-safe: visit() and store() take a lock, once per episode.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plr/core/level.h"

namespace plr::procgen {

class StartStateCache {
 public:
  struct Visit {
    std::vector<char>* stored = nullptr;  // the state, if there is one
    bool must_store = false;              // the caller must store the state
  };

  // Counts a start of the level.
  Visit visit(LevelId level) {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(level);
    if (found == entries_.end()) {
      if (entries_.size() < kMaxLevels) entries_.try_emplace(level);
      return {};
    }
    Entry& entry = found->second;
    if (!entry.state.empty()) return {.stored = &entry.state};
    const bool must_store = !entry.is_claimed && num_bytes_ < kMaxBytes;
    entry.is_claimed |= must_store;
    return {.must_store = must_store};
  }

  // REQUIRES: visit() has returned must_store for the level, and the state is not empty.
  void store(LevelId level, std::vector<char> state) {
    const std::scoped_lock lock(mutex_);
    num_bytes_ += state.size();
    entries_.at(level).state = std::move(state);
  }

 private:
  static constexpr std::size_t kMaxLevels = 1 << 14;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;

  struct Entry {
    std::vector<char> state;  // empty until it is stored
    bool is_claimed = false;  // a caller stores the state or has stored it
  };

  std::mutex mutex_;
  std::unordered_map<LevelId, Entry> entries_;
  std::size_t num_bytes_ = 0;
};

}  // namespace plr::procgen

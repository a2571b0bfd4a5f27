// A cache of the states in which levels start.
//
// Generating a level takes up to a millisecond where a game searches for a solvable one; loading
// the state in which it starts takes a tenth of that.  Replayed levels come often, so the state of
// a level is stored on its second start:
//
//   StartStateCache::Entry* entry = cache.visit(level);   // null: not cached, and not to be stored
//   if (entry->is_ready) game.set_state(entry->state);    // any thread
//   else entry->state = game.state();                     // one thread, and when it is done:
//   cache.mark_ready(*entry);
//
// Holds at most 16,384 levels and about 64 MB of states.  Entries keep their addresses.  Copyable.
// visit() and mark_ready() are not thread-safe; states that are ready may be read concurrently.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "plr/core/level.h"

namespace plr::procgen {

class StartStateCache {
 public:
  struct Entry {
    std::vector<char> state;
    bool is_ready = false;    // the state can be loaded
    bool is_claimed = false;  // a caller stores the state or has stored it
  };

  // Counts a start of the level.  A non-null entry that is not ready is claimed for the caller, who
  // must store the state.
  Entry* visit(LevelId level) {
    const auto found = entries_.find(level);
    if (found == entries_.end()) {
      if (entries_.size() < kMaxLevels) entries_.try_emplace(level);
      return nullptr;
    }
    Entry& entry = found->second;
    const bool must_store = !entry.is_claimed && num_bytes_ < kMaxBytes;
    entry.is_claimed |= must_store;
    return entry.is_ready || must_store ? &entry : nullptr;
  }

  void mark_ready(Entry& entry) {
    num_bytes_ += entry.state.size();
    entry.is_ready = true;
  }

 private:
  static constexpr std::size_t kMaxLevels = 1 << 14;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;

  std::unordered_map<LevelId, Entry> entries_;
  std::size_t num_bytes_ = 0;
};

}  // namespace plr::procgen

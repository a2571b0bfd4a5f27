// Which levels can be begun without being made again?
//
// To make a level takes up to a millisecond where a game searches for one that can be solved; to
// load the state that it began with takes a tenth.  Levels that are replayed come often, so the
// state of a level is kept when it begins for the second time:
//
//   KnownStarts::Entry* entry = starts.visit(level);   // null: neither known nor wanted
//   if (entry->is_ready) game.set_state(entry->state)  // by any thread
//   else entry->state = game.state()                   // by one; then, when that is done,
//   starts.keep(*entry);
//
// visit() and keep() are for one thread.  Entries stay where they are.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "plr/core/level.h"

namespace plr::procgen {

class KnownStarts {
 public:
  struct Entry {
    std::vector<char> state;
    bool is_ready = false;  // the state can be loaded
    bool is_taken = false;  // somebody takes it or did
  };

  Entry* visit(LevelId level) {
    const auto found = entries_.find(level);
    if (found == entries_.end()) {
      if (entries_.size() < kMaxLevels) entries_.try_emplace(level);
      return nullptr;
    }
    Entry& entry = found->second;
    const bool is_wanted = !entry.is_taken && num_bytes_ < kMaxBytes;
    entry.is_taken |= is_wanted;
    return entry.is_ready || is_wanted ? &entry : nullptr;
  }

  void keep(Entry& entry) {
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

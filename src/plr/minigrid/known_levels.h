// Which levels need not be made again?
//
// To make one takes microseconds, as long as a hundred steps; levels that are replayed come often.
// So a level is kept when it begins for the second time, until another one wants its place: levels
// have places by their seeds, so that as many as follow each other are kept side by side.
//
//   KnownLevels levels(task);
//   levels.get(seed, level);   // as level = make_level(task, seed)
//
// Takes no memory but what it has reserved, which is used as levels are kept.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/minigrid/level.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {

class KnownLevels {
 public:
  explicit KnownLevels(const Task& task);

  void get(std::uint64_t seed, Level& level);

  std::size_t num_kept() const { return kept_.size(); }

 private:
  static constexpr std::size_t kNumPlaces = 8192;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  struct Place {
    std::uint64_t seed = 0;
    int num_visits = 0;              // of this seed, up to two
    std::uint32_t where = kNowhere;  // in kept_
  };

  Task task_;
  std::vector<Place> places_;
  std::vector<Level> kept_;
};

}  // namespace plr::minigrid

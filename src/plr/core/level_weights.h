// The levels of a curriculum that draws from a ReplayDistribution, with their weights.
//
// O(slots). Thread-safe while the distribution does not change.
#pragma once

#include <cstdint>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/core/replay_distribution.h"

namespace plr {

// The weights at draw number `now`; level_at(slot) and is_scored(slot) give the other fields.
template <class LevelAt, class IsScored>
std::vector<LevelWeight> level_weights(const ReplayDistribution& distribution, std::int64_t now,
                                       LevelAt level_at, IsScored is_scored) {
  std::vector<double> probabilities;
  distribution.probabilities(now, probabilities);
  std::vector<LevelWeight> weights(probabilities.size());
  for (ReplayDistribution::Slot slot = 0; slot < weights.size(); ++slot) {
    weights[slot] = {.level = level_at(slot),
                     .is_scored = is_scored(slot),
                     .score = distribution.score(slot),
                     .staleness = static_cast<double>(distribution.staleness(slot, now)),
                     .probability = probabilities[slot]};
  }
  return weights;
}

}  // namespace plr

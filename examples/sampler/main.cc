#include <iostream>

#include "plr/core/level_replay.h"

int main() {
  plr::LevelReplay replay(plr::LevelSet::range(0, 200), {}, plr::Streams(1).named("levels"));
  for (int episode = 0; episode < 1000; ++episode) {
    const plr::LevelId level = replay.next();
    const double score = level % 10;  // play the level and compute its score here
    replay.record({.level = level, .score = score});
  }
  for (const auto& w : replay.weights()) std::cout << w.level << ' ' << w.probability << '\n';
}

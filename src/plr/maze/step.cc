#include "plr/maze/step.h"

namespace plr::maze {

// The arithmetic of the recordings, whose compiler replaces 0.9 * time / max_steps by
// time * (0.9 * (1 / max_steps)) in float and rounds the difference once.  In double, the product
// and the difference are exact.
float goal_reward(const Rules& rules, int time) {
  if (!rules.penalize_time) return 1;
  const float per_step = 0.9F * (1.0F / static_cast<float>(rules.max_steps));
  return static_cast<float>(1.0 - static_cast<double>(per_step) * time);
}

}  // namespace plr::maze

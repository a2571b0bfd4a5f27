// Random actions for many steps, sampled once and repeated: a benchmark spends no time on sampling.
//
//   ActionCycle actions(64, ActionSpace::discrete(15));
//   env.step({0, 64}, actions.next(), batch);
//
// Two cycles of equal sizes have equal actions. Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/vector_env.h"

namespace plr::bench {

class ActionCycle {
 public:
  static constexpr std::size_t kNumSteps = 1009;

  ActionCycle(int num_slots, const ActionSpace& space)
      : num_words_(static_cast<std::size_t>(num_slots) * space.size()),
        all_(kNumSteps * num_words_) {
    Random random = Streams(1).named("actions");
    for (std::size_t i = 0; i < all_.size(); i += space.size()) {
      draw_action(space, random, std::span(all_).subspan(i, space.size()));
    }
  }

  // The actions of all slots at the next step.
  std::span<const Action> next() {
    step_ = (step_ + 1) % kNumSteps;
    return std::span(all_).subspan(step_ * num_words_, num_words_);
  }

 private:
  std::size_t num_words_;    // of the actions of all slots
  std::vector<Action> all_;  // [kNumSteps, num_words]
  std::size_t step_ = 0;
};

}  // namespace plr::bench

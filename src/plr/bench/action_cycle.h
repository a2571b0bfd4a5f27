// Random actions for many steps, sampled once and repeated: a benchmark spends no time on sampling.
//
//   ActionCycle actions(64, 15);
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

  ActionCycle(int num_slots, int num_actions)
      : num_slots_(static_cast<std::size_t>(num_slots)), all_(kNumSteps * num_slots_) {
    Random random = Streams(1).named("actions");
    const auto count = static_cast<std::uint64_t>(num_actions);
    for (Action& action : all_) action = static_cast<Action>(random.below(count));
  }

  // The actions of all slots at the next step.
  std::span<const Action> next() {
    step_ = (step_ + 1) % kNumSteps;
    return std::span(all_).subspan(step_ * num_slots_, num_slots_);
  }

 private:
  std::size_t num_slots_;
  std::vector<Action> all_;  // [kNumSteps, num_slots]
  std::size_t step_ = 0;
};

}  // namespace plr::bench

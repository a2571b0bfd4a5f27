// The tables of a rollout: T steps of N slots.
//
//   StepTables rollout(256, 64);
//   rollout.rewards[t][slot] = 1;
//
// Row t: on level levels[t][i], actions[t][i] was taken and earned rewards[t][i]; if done[t][i], it
// ended the episode.
//
// learn/rollout.h adds the observations and the advantages.  Copyable.  Different cells may be
// written by different threads at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plr::collect {

// A table with a row per step and a column per slot.
template <class T>
class StepTable {
 public:
  StepTable(std::size_t num_rows, std::size_t num_slots)
      : num_slots_(num_slots), cells_(num_rows * num_slots) {}

  std::span<T> operator[](std::size_t row) { return all().subspan(row * num_slots_, num_slots_); }
  std::span<const T> operator[](std::size_t row) const {
    return all().subspan(row * num_slots_, num_slots_);
  }
  std::span<T> last_row() { return all().last(num_slots_); }
  std::span<T> all() { return cells_; }
  std::span<const T> all() const { return cells_; }

 private:
  std::size_t num_slots_;
  std::vector<T> cells_;
};

struct StepTables {
  // `wide_length` is the number of floats of the wide actions of a step.
  StepTables(std::size_t num_steps, std::size_t num_slots, std::size_t wide_length = 0)
      : actions(num_steps, num_slots),
        wide_actions(num_steps, wide_length),
        log_probs(num_steps, num_slots),
        values(num_steps + 1, num_slots),
        rewards(num_steps, num_slots),
        begins(num_steps, num_slots),
        done(num_steps, num_slots),
        levels(num_steps, num_slots) {}

  StepTable<std::int32_t> actions;  // of a discrete space
  // [T, own slots * W] of another one (ActionSpace::wide_size()), as the policy sampled them.
  StepTable<float> wide_actions;
  StepTable<float> log_probs;      // of the actions, when they were taken
  StepTable<float> values;         // [T+1, N], the network's when the actions were taken
  StepTable<float> rewards;        // normalized
  StepTable<std::uint8_t> begins;  // the step is the first of its episode
  StepTable<std::uint8_t> done;
  StepTable<std::uint64_t> levels;
};

}  // namespace plr::collect

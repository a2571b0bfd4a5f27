// A classic control task as a VectorEnv (env/vector_env.h).
//
//   ClassicEnv<CartPole> env("classic/CartPole", Levels::kRandom, {.num_slots = 8});
//
// A level is a seed: with Levels::kRandom it determines the physics and the first state, with
// Levels::kFixed the same first state under the physics of Gymnasium.  Observations are vectors of
// floats.  A failed task terminates an episode, the step limit truncates it.
//
// A task has the members of CartPole (cart_pole.h).  A saved episode is its state and time; the
// physics follow from the level.  Not copyable.  Not thread-safe: one caller at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"

namespace plr::classic {

enum class Levels : std::uint8_t { kRandom, kFixed };

// The number that the options ask for; if they leave it open, one per 4,096 slots.
int num_workers_of(const EnvOptions& options);

template <class Task>
class ClassicEnv final : public VectorEnv {
 public:
  using Physics = typename Task::Physics;
  using State = typename Task::State;

  ClassicEnv(const std::string& name, Levels levels, const EnvOptions& options)
      : VectorEnv(make_spec(name, options), num_workers_of(options)),
        levels_(levels),
        slots_(static_cast<std::size_t>(options.num_slots)) {}

  // REQUIRES: the slot has been started.
  const Physics& physics(int slot) const { return at(slot).physics; }
  const State& state(int slot) const { return at(slot).state; }

 private:
  struct Slot {
    Physics physics;
    State state = {};
    std::int32_t time = 0;
  };

  static EnvSpec make_spec(const std::string& name, const EnvOptions& options) {
    check_plain_options(name, options);
    EnvSpec spec;
    spec.name = name;
    spec.num_slots = options.num_slots;
    spec.observation_shape = {1, 1, Task::kObservationSize};
    spec.observation_type = ElementType::kFloat;
    spec.actions = Task::actions();
    spec.max_steps = Task::kMaxSteps;
    spec.last_level = (LevelId{1} << 32) - 1;
    spec.full_distribution = LevelSet::stream(0, spec.last_level + 1);
    return spec;
  }

  const Slot& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  // The beginning of a level.
  Slot first(LevelId level) const {
    Random random{Pcg64(SeedSequence(level))};
    const Physics drawn = Task::draw_physics(random);
    return {levels_ == Levels::kRandom ? drawn : Physics(), Task::draw_state(random), 0};
  }

  void start_level(int slot, LevelId level, const StepBatch& out) override {
    slots_[static_cast<std::size_t>(slot)] = first(level);
    observe(slot, out);
  }

  void step_slots(SlotRange range, std::span<const Action> actions, const StepBatch& out) override {
    const std::size_t size = actions.size() / static_cast<std::size_t>(range.size());
    for (int number = range.begin; number < range.end; ++number) {
      const auto i = static_cast<std::size_t>(number);
      Slot& slot = slots_[i];
      const auto offset = static_cast<std::size_t>(number - range.begin) * size;
      out.rewards[i] = Task::step(slot.physics, slot.state, actions.subspan(offset, size));
      ++slot.time;
      out.terminated[i] = Task::has_failed(slot.state) ? 1 : 0;
      out.truncated[i] = slot.time >= Task::kMaxSteps ? 1 : 0;
      observe(number, out);
    }
  }

  void observe(int slot, const StepBatch& out) const {
    std::array<float, Task::kObservationSize> floats;
    Task::observe(at(slot).state, floats);
    out.observe(slot, floats);
  }

  bool solved_by(int slot, double /*last_reward*/) const override {
    return Task::is_solved(at(slot).state);
  }

  void save_episode(int slot, ByteWriter& out) const override {
    for (const double x : at(slot).state) out.number(x);
    out.number(at(slot).time);
  }

  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override {
    Slot loaded = first(level);
    for (double& x : loaded.state) x = in.number<double>();
    loaded.time = in.number<std::int32_t>();
    in.expect_end();
    in.require(Task::is_possible(loaded.state), "its state is not possible");
    in.require(loaded.time >= 0 && loaded.time <= Task::kMaxSteps, "its time is invalid");
    const bool is_over = loaded.time == Task::kMaxSteps || Task::has_failed(loaded.state);
    in.require(has_ended == is_over, "its state does not match its end");
    slots_[static_cast<std::size_t>(slot)] = loaded;
  }

  Levels levels_;
  std::vector<Slot> slots_;  // [N]
};

}  // namespace plr::classic

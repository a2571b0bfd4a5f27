// The pendulum with the equations of Gymnasium's Pendulum-v1: a torque, too weak to lift it at
// once, swings a pendulum up and keeps it upright.
//
//   const Pendulum::Physics physics = Pendulum::draw_physics(random);
//   Pendulum::State state = Pendulum::draw_state(random);
//   const double reward = Pendulum::step(physics, state, {&action, 1});     // from -16.3 to 0
//
// The reward is -(angle^2 + 0.1 speed^2 + 0.001 torque^2), the angle from -pi to pi and 0 upright.
// No state ends an episode.  Everything is computed in doubles with the same bits on every machine.
// Plain values; functions are thread-safe.
#pragma once

#include <array>
#include <span>

#include "plr/base/random.h"
#include "plr/env/spaces.h"

namespace plr::classic {

struct Pendulum {
  // The defaults are those of Gymnasium.
  struct Physics {
    double gravity = 10;  // m/s^2
    double mass = 1;      // kg
    double length = 1;    // m
    friend bool operator==(const Physics&, const Physics&) = default;
  };
  using State = std::array<double, 2>;  // angle, angular velocity

  static constexpr int kMaxSteps = 200;
  static constexpr int kObservationSize = 3;  // cosine and sine of the angle, angular velocity
  static constexpr float kMaxTorque = 2;

  static ActionSpace actions() { return ActionSpace::continuous({-kMaxTorque}, {kMaxTorque}); }

  // Mass and length from 0.75 to 1.25: the random ranges of Packer et al. 2018 (Assessing
  // Generalization in Deep Reinforcement Learning).
  static Physics draw_physics(Random& random);
  // The angle from -pi to pi, its speed from -1 to 1.
  static State draw_state(Random& random);

  // Changes the state by 0.05 s and returns the reward.
  static double step(const Physics& physics, State& state, std::span<const Action> action);
  static bool has_failed(const State& /*state*/) { return false; }
  // Whether an episode that ends in this state solved its level: it is upright and slow.
  static bool is_solved(const State& state);
  // Whether a state can occur in an episode.
  static bool is_possible(const State& state);
  static void observe(const State& state, std::span<float> out);
};

}  // namespace plr::classic

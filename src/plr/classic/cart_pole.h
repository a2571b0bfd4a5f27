// The cart-pole problem (Barto, Sutton and Anderson 1983) with the equations of Gymnasium's
// CartPole-v1: a cart on a track is pushed left or right, so that its pole stays upright.
//
//   Random random = ...;
//   const CartPole::Physics physics = CartPole::draw_physics(random);
//   CartPole::State state = CartPole::draw_state(random);
//   const double reward = CartPole::step(physics, state, {&action, 1});     // 1 per step
//   if (CartPole::has_failed(state)) ...       // the pole leans by 12 degrees, or the cart is away
//
// Everything is computed in doubles with the same bits on every machine.  Plain values; functions
// are thread-safe.
#pragma once

#include <array>
#include <span>

#include "plr/base/random.h"
#include "plr/classic/sin_cos.h"
#include "plr/env/spaces.h"

namespace plr::classic {

struct CartPole {
  // The defaults are those of Gymnasium.
  struct Physics {
    double gravity = 9.8;      // m/s^2
    double cart_mass = 1;      // kg
    double pole_mass = 0.1;    // kg
    double half_length = 0.5;  // of the pole, m
    double force = 10;         // of a push, N
    friend bool operator==(const Physics&, const Physics&) = default;
  };
  using State = std::array<double, 4>;  // position, velocity, angle, angular velocity

  static constexpr int kMaxSteps = 500;
  static constexpr int kObservationSize = 4;               // the state
  static constexpr double kMaxPosition = 2.4;              // m from the center
  static constexpr double kMaxAngle = 12 * 2 * kPi / 360;  // from upright

  static ActionSpace actions() { return ActionSpace::discrete(2); }  // push left, push right

  // Force from 5 to 15 N, half length from 0.25 to 0.75 m, mass of the pole from 0.05 to 0.5 kg:
  // the random ranges of Packer et al. 2018 (Assessing Generalization in Deep Reinforcement
  // Learning).
  static Physics draw_physics(Random& random);
  // All four from -0.05 to 0.05.
  static State draw_state(Random& random);

  // Changes the state by 0.02 s and returns the reward.
  static double step(const Physics& physics, State& state, std::span<const Action> action);
  // Whether the state ends the episode.
  static bool has_failed(const State& state);
  // Whether an episode that ends in this state solved its level: the pole is still upright.
  static bool is_solved(const State& state) { return !has_failed(state); }
  // Whether a state can occur in an episode.
  static bool is_possible(const State& state);
  static void observe(const State& state, std::span<float> out);
};

// Two carts with equal physics, each of which is pushed left or right in every step.  The episode
// ends when one of them fails.
struct TwinCartPole {
  using Physics = CartPole::Physics;
  using State = std::array<double, 8>;  // of both

  static constexpr int kMaxSteps = CartPole::kMaxSteps;
  static constexpr int kObservationSize = 8;

  static ActionSpace actions() { return ActionSpace::multi_discrete({2, 2}); }
  static Physics draw_physics(Random& random) { return CartPole::draw_physics(random); }
  static State draw_state(Random& random);
  static double step(const Physics& physics, State& state, std::span<const Action> action);
  static bool has_failed(const State& state);
  static bool is_solved(const State& state) { return !has_failed(state); }
  static bool is_possible(const State& state);
  static void observe(const State& state, std::span<float> out);

  // The state of the first or second cart.
  static CartPole::State of_cart(const State& state, std::size_t cart);
};

}  // namespace plr::classic

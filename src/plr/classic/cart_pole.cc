#include "plr/classic/cart_pole.h"

#include <algorithm>
#include <cmath>

#include "plr/classic/sin_cos.h"
#include "plr/classic/uniform.h"

namespace plr::classic {
namespace {

constexpr double kSecondsPerStep = 0.02;
// Speeds are far below this: a push changes that of the pole by less than 20 per step.
constexpr double kMaxSpeed = 1e4;

}  // namespace

CartPole::Physics CartPole::draw_physics(Random& random) {
  Physics physics;
  physics.force = uniform(random, 5, 15);
  physics.half_length = uniform(random, 0.25, 0.75);
  physics.pole_mass = uniform(random, 0.05, 0.5);
  return physics;
}

CartPole::State CartPole::draw_state(Random& random) {
  State state;
  for (double& x : state) x = uniform(random, -0.05, 0.05);
  return state;
}

// The order of the operations is Gymnasium's.
double CartPole::step(const Physics& physics, State& state, std::span<const Action> action) {
  auto& [position, velocity, angle, angular_velocity] = state;
  const double force = action[0] == 1 ? physics.force : -physics.force;
  const auto [sin, cos] = sin_cos(angle);
  const double total_mass = physics.cart_mass + physics.pole_mass;
  const double pole_moment = physics.pole_mass * physics.half_length;
  const double temp =
      (force + pole_moment * (angular_velocity * angular_velocity) * sin) / total_mass;
  const double angular_acceleration =
      (physics.gravity * sin - cos * temp) /
      (physics.half_length * (4.0 / 3.0 - physics.pole_mass * (cos * cos) / total_mass));
  const double acceleration = temp - pole_moment * angular_acceleration * cos / total_mass;
  position += kSecondsPerStep * velocity;
  velocity += kSecondsPerStep * acceleration;
  angle += kSecondsPerStep * angular_velocity;
  angular_velocity += kSecondsPerStep * angular_acceleration;
  return 1;
}

bool CartPole::has_failed(const State& state) {
  return std::abs(state[0]) > kMaxPosition || std::abs(state[2]) > kMaxAngle;
}

bool CartPole::is_possible(const State& state) {
  return std::ranges::all_of(state, [](double x) { return std::abs(x) < kMaxSpeed; });
}

void CartPole::observe(const State& state, std::span<float> out) {
  std::ranges::transform(state, out.begin(), [](double x) { return static_cast<float>(x); });
}

CartPole::State TwinCartPole::of_cart(const State& state, std::size_t cart) {
  CartPole::State one;
  std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(cart * one.size()), one.size(),
              one.begin());
  return one;
}

TwinCartPole::State TwinCartPole::draw_state(Random& random) {
  State state;
  for (double& x : state) x = uniform(random, -0.05, 0.05);
  return state;
}

double TwinCartPole::step(const Physics& physics, State& state, std::span<const Action> action) {
  for (std::size_t cart = 0; cart < 2; ++cart) {
    CartPole::State one = of_cart(state, cart);
    CartPole::step(physics, one, action.subspan(cart, 1));
    std::ranges::copy(one, state.begin() + static_cast<std::ptrdiff_t>(cart * one.size()));
  }
  return 1;
}

bool TwinCartPole::has_failed(const State& state) {
  return CartPole::has_failed(of_cart(state, 0)) || CartPole::has_failed(of_cart(state, 1));
}

bool TwinCartPole::is_possible(const State& state) {
  return CartPole::is_possible(of_cart(state, 0)) && CartPole::is_possible(of_cart(state, 1));
}

void TwinCartPole::observe(const State& state, std::span<float> out) {
  std::ranges::transform(state, out.begin(), [](double x) { return static_cast<float>(x); });
}

}  // namespace plr::classic

#include "plr/classic/pendulum.h"

#include <algorithm>
#include <cmath>

#include "plr/classic/sin_cos.h"
#include "plr/classic/uniform.h"

namespace plr::classic {
namespace {

constexpr double kSecondsPerStep = 0.05;
constexpr double kMaxSpeed = 8;
constexpr double kMaxAngle = kPi + Pendulum::kMaxSteps * kSecondsPerStep * kMaxSpeed;

// The same angle from -pi to below pi.
double normalized(double angle) {
  const double turns = std::floor((angle + kPi) / (2 * kPi));
  return angle - turns * (2 * kPi);
}

}  // namespace

Pendulum::Physics Pendulum::draw_physics(Random& random) {
  Physics physics;
  physics.mass = uniform(random, 0.75, 1.25);
  physics.length = uniform(random, 0.75, 1.25);
  return physics;
}

Pendulum::State Pendulum::draw_state(Random& random) {
  const double angle = uniform(random, -kPi, kPi);
  return {angle, uniform(random, -1, 1)};
}

// The order of the operations is Gymnasium's.
double Pendulum::step(const Physics& physics, State& state, std::span<const Action> action) {
  auto& [angle, speed] = state;
  const auto torque = static_cast<double>(to_float(action[0]));
  const double lean = normalized(angle);
  const double costs = lean * lean + 0.1 * (speed * speed) + 0.001 * (torque * torque);
  const double acceleration = 3 * physics.gravity / (2 * physics.length) * sin_cos(angle).sin +
                              3.0 / (physics.mass * (physics.length * physics.length)) * torque;
  speed = std::clamp(speed + acceleration * kSecondsPerStep, -kMaxSpeed, kMaxSpeed);
  angle += speed * kSecondsPerStep;
  return -costs;
}

bool Pendulum::is_solved(const State& state) {
  return std::abs(normalized(state[0])) < 0.25 && std::abs(state[1]) < 1;
}

bool Pendulum::is_possible(const State& state) {
  return std::abs(state[0]) <= kMaxAngle && std::abs(state[1]) <= kMaxSpeed;
}

void Pendulum::observe(const State& state, std::span<float> out) {
  const auto [sin, cos] = sin_cos(state[0]);
  out[0] = static_cast<float>(cos);
  out[1] = static_cast<float>(sin);
  out[2] = static_cast<float>(state[1]);
}

}  // namespace plr::classic

// Pictures of the classic tasks: the cart with its pole, and the pendulum.
//
//   const image::Image picture = draw(CartPole::Physics(), state, 384);    // 384 pixels wide
//
// A heavier body is drawn thicker, a longer one longer.  Thread-safe.
#pragma once

#include "plr/classic/cart_pole.h"
#include "plr/classic/pendulum.h"
#include "plr/image/image.h"

namespace plr::classic {

image::Image draw(const CartPole::Physics& physics, const CartPole::State& state, int width);
// One cart above the other.
image::Image draw(const TwinCartPole::Physics& physics, const TwinCartPole::State& state,
                  int width);
image::Image draw(const Pendulum::Physics& physics, const Pendulum::State& state, int width);

}  // namespace plr::classic

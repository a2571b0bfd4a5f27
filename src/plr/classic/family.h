// The classic control tasks as a Family (env/family.h): CartPole, TwinCartPole and Pendulum.
#pragma once

#include "plr/env/family.h"

namespace plr::classic {

Family family();

}  // namespace plr::classic

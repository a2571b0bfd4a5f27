// Uniform numbers between two bounds.
#pragma once

#include "plr/base/random.h"

namespace plr::classic {

inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

}  // namespace plr::classic

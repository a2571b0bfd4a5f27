// Between which returns of an environment does a normalized one lie, 0 to 1?
#pragma once

namespace plr {

// What an agent gets that sees nothing, and the best that can be had or, where nobody knows that,
// what a good one gets.
struct ReturnRange {
  double low = 0;
  double high = 1;
};

}  // namespace plr

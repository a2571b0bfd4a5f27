// The returns of an environment that are normalized to 0 and 1.
//
// A plain struct.
#pragma once

namespace plr {

// `low` is the return of an agent that ignores its observations; `high` is the best possible return
// or, where that is unknown, the return of a good agent.
struct ReturnRange {
  double low = 0;
  double high = 1;
};

}  // namespace plr

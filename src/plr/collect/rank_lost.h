// The error of a rank that cannot continue because another one has failed.
//
// The run ends on all ranks and continues from its last checkpoint.  An exception: copyable.
#pragma once

#include <stdexcept>

namespace plr::collect {

class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace plr::collect

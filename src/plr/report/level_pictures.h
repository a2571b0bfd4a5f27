// What do the levels look like that the curriculum likes most, and least?
#pragma once

#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

struct LevelPicture {
  std::string png;      // the bytes of a PNG file
  std::string caption;  // "level 17, 12.3 %"
};

struct LevelPictures {
  std::vector<LevelPicture> most;
  std::vector<LevelPicture> least;
};

// Of the run's levels as of its last checkpoint, `count` of each.  None where the levels are not
// known, all equally likely, or cannot be drawn: no libpng, an environment that is not installed.
LevelPictures level_pictures(const RunData& run, std::size_t count);

}  // namespace plr::report

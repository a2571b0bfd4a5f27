// Pictures of the levels that a run's curriculum most and least probably samples next.
//
// Copyable values. level_pictures() is thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

struct LevelPicture {
  std::string png;      // the bytes of a PNG file
  std::string caption;  // "level 17, 12.3 %, score 0.25"
};

struct LevelPictures {
  std::vector<LevelPicture> most;
  std::vector<LevelPicture> least;
};

// `count` of each, at the run's last checkpoint; at most half of its levels. Empty if the levels
// were not recorded, are all equally probable, or cannot be drawn: the program was built without
// libpng, or the environment is not installed.
LevelPictures level_pictures(const RunData& run, std::size_t count);

}  // namespace plr::report

// Pictures of the levels of a run's curriculum: the most and least probable ones at its end, and
// the most probable ones during training.
//
// Copyable values. The functions are thread-safe for distinct files.
#pragma once

#include <cstddef>
#include <filesystem>
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
// were not recorded, are all equally probable, or cannot be drawn because the environment is not
// installed.
LevelPictures level_pictures(const RunData& run, std::size_t count);

// The most probable levels at one time of a run.
struct LevelsAtTime {
  std::int64_t steps = 0;
  std::vector<LevelPicture> pictures;
};

// `num_times` records of the run, evenly, with `count` levels each; empty as level_pictures() is.
std::vector<LevelsAtTime> level_history(const RunData& run, std::size_t num_times,
                                        std::size_t count);

// Writes an animation of the most probable levels, a frame per record of the run, at most 100.
// False if there are no levels that can be drawn. Throws std::runtime_error if the file cannot be
// written.
bool write_level_animation(const RunData& run, const std::filesystem::path& file);

}  // namespace plr::report

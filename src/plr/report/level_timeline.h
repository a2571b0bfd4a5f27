// The most probable levels of a run over the course of training, for environments with and without
// degrees of difficulty.
//
// Copyable values; the functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

// A level that is one of the ten most probable ones at some time.
struct TimelineCell {
  std::size_t level = 0;  // index into LevelTimeline::levels
  double probability = 0;
};

struct LevelTimeline {
  std::vector<double> steps;                     // [record]
  std::vector<std::string> levels;               // in the order in which they first appear
  std::vector<std::vector<TimelineCell>> cells;  // [record], the most probable first
  // [record]: the return of the shortest solution, mean over the ten levels weighted by their
  // probability; empty where the environment has no solver.
  std::vector<double> solutions;
};

// At most `max_records` records of the run, evenly. Empty if the run recorded no levels.
// REQUIRES: `max_records` is above 1.
LevelTimeline level_timeline(const RunData& run, std::size_t max_records);

}  // namespace plr::report

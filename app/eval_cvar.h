// plr eval --cvar: success on the levels that a trained agent solves least often.
#pragma once

#include <cstdint>
#include <string>

namespace plr::app {

struct CvarArguments {
  std::string run;
  std::string env;  // empty: maze/random-60
  std::int64_t num_levels = 10'000;
  std::uint64_t seed = 0;
  bool json = false;
};

// Plays the levels, writes cvar.csv into the run's folder and prints a table. Throws
// terminal::Stopped on Ctrl-C; then nothing is written.
void eval_cvar(const CvarArguments& arguments);

}  // namespace plr::app

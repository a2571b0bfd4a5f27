// The current step of an episode as text: a view for terminals, and lines for a transcript.
//
// Free functions without state; thread-safe while the environment is not stepped.
#pragma once

#include <string>
#include <vector>

#include "plr/env/vector_env.h"
#include "plr/terminal/screen.h"
#include "plr/train/watched_episode.h"

namespace plr::viewer {

// The level in slot 0 and a panel with step, reward, return, value and a bar for each action.  The
// panel is to the right of the level, or below it if `width` columns are too few.  The number of
// lines is the same at every step.
std::vector<std::string> step_view(const VectorEnv& env, const train::EpisodeState& state,
                                   terminal::Colors colors, int width);

// A transcript has a heading, a line per action, and the level in letters if it is made of tiles.
std::string transcript_heading();
std::string transcript_line(const VectorEnv& env, int step, const train::PolicyOutput& output,
                            double reward);
std::vector<std::string> transcript_level(const VectorEnv& env, const train::EpisodeState& state);

}  // namespace plr::viewer

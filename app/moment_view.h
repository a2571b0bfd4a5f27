// What is told of a state of an episode, in text?
#pragma once

#include <string>
#include <vector>

#include "app/terminal_art.h"
#include "plr/env/vector_env.h"
#include "plr/train/watched_episode.h"

namespace plr::app {

// For a terminal: the level as it stands in slot 0, and beside it, or below where that is too
// narrow, step, reward, return, value and a bar for each action.  Always as many lines.
std::vector<std::string> moment_view(const VectorEnv& env, const train::EpisodeState& state,
                                     TerminalColors colors);

// For a transcript: a line per action under a heading, and the level in letters where it has them.
std::string transcript_heading();
std::string transcript_line(const VectorEnv& env, int step, const train::PolicyOutput& output,
                            double reward);
std::vector<std::string> plain_level(const VectorEnv& env, const train::EpisodeState& state);

}  // namespace plr::app

// A state as text, one character per cell.
//
//   #      wall          > v < ^   the agent       ' '     empty
//   G      goal          ~         lava            .       floor
//   r y .. key           R Y ..    locked door     + _     closed door, open door
//   o      ball          ?         box             :       unseen
//
// The letter of a key or locked door is its color: r(ed), n (green), b(lue), p(urple), y(ellow),
// e (grey).  Other objects lose their color: a parsed picture has red closed and open doors, blue
// balls, and grey, empty boxes.
//
//   const Level level = parse_level(
//       "#####\n"
//       "#> G#\n"
//       "#####\n");
//   draw(level.start);   // the same text
//
// Stateless: thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

// The character of a cell.
char letter(Cell cell);

std::string draw(const State& state);

// A level with Rules::kReachGoal and a limit of 100 steps.  Throws std::invalid_argument unless all
// lines have the same length, the outermost cells are walls, and there is exactly one agent.
Level parse_level(std::string_view picture);

}  // namespace plr::minigrid

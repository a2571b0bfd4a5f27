// How does one look at a state, or write one down, in text?
//
// As a picture of one character per cell:
//
//   #      wall          > v < ^   the agent       ' '     empty
//   G      goal          ~         lava            .       floor
//   r y .. key           R Y ..    locked door     + _     closed door, open door
//   o      ball          ?         box             :       unseen
//
// Keys and locked doors tell their color: r(ed), n (green), b(lue), p(urple), y(ellow), e (grey).
// The other objects lose theirs: reading a picture gives red closed or open doors, blue balls and
// grey, empty boxes.
//
//   const Level level = parse_level(
//       "#####\n"
//       "#> G#\n"
//       "#####\n");
//   draw(level.start);   // the same text
#pragma once

#include <string>
#include <string_view>

#include "plr/minigrid/level.h"

namespace plr::minigrid {

// What stands for a cell.
char letter(Cell cell);

std::string draw(const State& state);

// A level with the rules of kReachGoal and 100 steps.  Throws std::invalid_argument unless the
// lines are equally long, the rim is wall and there is one agent.
Level parse_level(std::string_view picture);

}  // namespace plr::minigrid

// Generators of levels.  Each draws a level from a random stream:
//
//   Random random = Streams(seed).named("maze");
//   const Level level = random_level({13, 13}, 25, random);
//
// A level of 13 x 13 cells takes less than a microsecond, a perfect maze of 101 x 101 about 100 us.
// Stateless: thread-safe for distinct streams.
#pragma once

#include "plr/base/random.h"
#include "plr/maze/level.h"

namespace plr::maze {

struct Size {
  int width = 13;
  int height = 13;
  friend bool operator==(const Size&, const Size&) = default;
};

// The levels of domain randomization: `num_walls` cells drawn with replacement become walls; agent,
// direction and goal are uniform.  The goal may be unreachable.
// REQUIRES: 0 <= num_walls <= width * height - 2.
Level random_level(Size size, int num_walls, Random& random);

// A perfect maze: rooms at even coordinates, joined to a spanning tree by a depth-first search that
// goes to a random unvisited neighbor.  Goal, agent and direction are uniform.
// REQUIRES: both sides are odd and at least 3.
Level perfect_maze(Size size, Random& random);

// Middle row and column are walls, with a random door in each of the four arms.  Goal, agent and
// direction are uniform.  REQUIRES: both sides are odd and at least 3.
Level four_rooms(Size size, Random& random);

// `num_crossings` of the rows and columns with odd index are walls, with openings along one random
// path to the right and down from the agent, top left, to the goal, bottom right.
// REQUIRES: side is odd and 1 <= num_crossings <= side - 1.
Level crossing(int side, int num_crossings, Random& random);

}  // namespace plr::maze

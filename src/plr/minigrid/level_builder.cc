#include "plr/minigrid/level_builder.h"

#include <stdexcept>

namespace plr::minigrid {

Level blank_level(int width, int height, const LevelFacts& facts) {
  Level level;
  level.rules = facts.rules;
  level.max_steps = facts.max_steps;
  level.mission = Mission(facts.mission);
  level.start.grid = Grid(width, height);
  return level;
}

void LevelBuilder::row(Position from, int length, Cell cell) {
  for (int i = 0; i < length; ++i) put({from.x + i, from.y}, cell);
}

void LevelBuilder::column(Position from, int length, Cell cell) {
  for (int i = 0; i < length; ++i) put({from.x, from.y + i}, cell);
}

void LevelBuilder::wall_rectangle(const Region& outline) {
  const auto& [top, width, height] = outline;
  row(top, width);
  row({top.x, top.y + height - 1}, width);
  column(top, height);
  column({top.x + width - 1, top.y}, height);
}

void LevelBuilder::place_agent(const Region& region, int max_tries) {
  state_.agent = Position{};  // outside the grid, so that its old cell counts as free
  const auto free = free_cell(state_, region, max_tries, random_, [](Position) { return false; });
  if (!free) fail_to_place();
  put_agent(*free, static_cast<Direction>(random_.integer(0, 4)));
}

void LevelBuilder::put_agent(Position p, Direction direction) {
  state_.agent = p;
  state_.direction = direction;
}

void LevelBuilder::fail_to_place() {
  throw std::runtime_error(
      "level generation: no free cell found within the number of draws that the reference allows");
}

}  // namespace plr::minigrid

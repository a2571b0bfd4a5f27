#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "plr/minigrid/families/families.h"
#include "plr/minigrid/level_builder.h"
#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

constexpr std::array<Kind, 3> kKinds = {Kind::kKey, Kind::kBall, Kind::kBox};

struct Object {
  Cell cell;
  Position at;
};

std::string described(Cell cell) { return text(name_of(cell.color), " ", name_of(cell.kind)); }

// The first `num_kinds` of kKinds.
Cell drawn_object(int num_kinds, LevelRandom& random) {
  const Kind kind = kKinds[static_cast<std::size_t>(random.integer(0, num_kinds))];
  return {kind, random.color()};
}

// Distinct objects; no two next to each other if they must be kept apart.
std::vector<Object> place_different_objects(int count, bool keep_apart, LevelBuilder& build) {
  std::vector<Object> objects;
  while (objects.size() < static_cast<std::size_t>(count)) {
    const Cell cell = drawn_object(3, build.random());
    if (std::any_of(objects.begin(), objects.end(),
                    [&](const Object& object) { return object.cell == cell; })) {
      continue;
    }
    const auto too_close = [&](Position p) {
      return keep_apart && std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
               return std::abs(p.x - object.at.x) <= 1 && std::abs(p.y - object.at.y) <= 1;
             });
    };
    objects.push_back({cell, build.place(cell, whole(build.grid()), too_close)});
  }
  return objects;
}

}  // namespace

Level put_near(int size, int num_objects, LevelRandom& random) {
  Level level = blank_level(size, size, {.max_steps = 5 * size, .rules = Rules::kPutNear});
  level.see_through_walls = true;
  LevelBuilder build(level, random);
  build.outer_walls();
  const std::vector<Object> objects = place_different_objects(num_objects, true, build);
  build.place_agent(whole(level.start.grid));
  const int moved = random.integer(0, num_objects);
  int near = moved;
  while (near == moved) near = random.integer(0, num_objects);
  level.target = objects[static_cast<std::size_t>(moved)].cell;
  level.position = objects[static_cast<std::size_t>(near)].at;
  level.mission = Mission(text("put the ", described(level.target), " near the ",
                               described(objects[static_cast<std::size_t>(near)].cell)));
  return level;
}

Level fetch(int size, int num_objects, LevelRandom& random) {
  Level level = blank_level(size, size, {.max_steps = 5 * size * size, .rules = Rules::kFetch});
  level.see_through_walls = true;
  LevelBuilder build(level, random);
  build.outer_walls();
  std::vector<Cell> objects;
  for (int i = 0; i < num_objects; ++i) {
    objects.push_back(drawn_object(2, random));
    build.place(objects.back(), whole(level.start.grid));
  }
  build.place_agent(whole(level.start.grid));
  level.target = random.element<Cell>(objects);
  constexpr std::array<std::string_view, 5> kPhrases = {"get a", "go get a", "fetch a",
                                                        "go fetch a", "you must fetch a"};
  level.mission =
      Mission(text(random.element<std::string_view>(kPhrases), " ", described(level.target)));
  return level;
}

Level go_to_object(int size, int num_objects, LevelRandom& random) {
  Level level = blank_level(size, size, {.max_steps = 5 * size * size, .rules = Rules::kGoTo});
  level.see_through_walls = true;
  LevelBuilder build(level, random);
  build.outer_walls();
  const std::vector<Object> objects = place_different_objects(num_objects, false, build);
  build.place_agent(whole(level.start.grid));
  const Object& wanted = random.element<Object>(objects);
  level.target = wanted.cell;
  level.position = wanted.at;
  level.mission = Mission(text("go to the ", described(wanted.cell)));
  return level;
}

}  // namespace plr::minigrid

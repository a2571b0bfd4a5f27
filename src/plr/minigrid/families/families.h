// The level generators, one function per group of tasks.
//
// A generator makes a level from its parameters and a random stream.  It draws the same numbers in
// the same order as minigrid 3.1.0; registry.cc lists the parameters in use.  Stateless:
// thread-safe for distinct streams.
#pragma once

#include "plr/minigrid/level.h"
#include "plr/minigrid/level_random.h"

namespace plr::minigrid {

enum class AgentStart { kCorner, kAnywhere };

// empty.cc: reach the goal in the opposite corner of one room; dynamic_obstacles() adds moving
// balls.
Level empty(int size, AgentStart start, LevelRandom& random);
Level dynamic_obstacles(int size, int num_obstacles, AgentStart start, LevelRandom& random);

// four_rooms.cc: reach a goal somewhere in four rooms connected by gaps.
Level four_rooms(LevelRandom& random);

// lava.cc: reach the goal past lava.
Level dist_shift(int second_strip, LevelRandom& random);
Level lava_gap(int size, LevelRandom& random);

// crossing.cc: reach the goal through one opening in each of several barriers, lava or wall.
Level crossing(int size, int num_crossings, Cell barrier, LevelRandom& random);

// door_key.cc: find the key, open the door, reach the goal behind it.
Level door_key(int size, LevelRandom& random);

// multi_room.cc: reach the goal through a chain of rooms with closed doors.
struct MultiRoomShape {
  int min_rooms = 1;
  int max_rooms = 1;  // up to 6
  int max_room_size = 10;
  int grid_size = 25;
};
Level multi_room(const MultiRoomShape& shape, LevelRandom& random);

// unlock.cc: two rooms with a locked door between them.
Level unlock(LevelRandom& random);
Level unlock_pickup(LevelRandom& random);
Level blocked_unlock_pickup(LevelRandom& random);

// key_corridor.cc: find the key in a room along a corridor, then the ball in the locked room.
Level key_corridor(int room_size, int rows, LevelRandom& random);

// locked_room.cc: six rooms; the key to the one with the goal lies in another.
Level locked_room(LevelRandom& random);

// obstructed_maze.cc: a blue ball behind locked doors, their keys in boxes, balls in the way.
struct ObstructedMazeShape {
  bool two_rooms = false;  // otherwise nine
  bool key_in_box = false;
  bool blocked = false;   // a ball blocks each locked door
  int quarters = 1;       // of the nine rooms
  int rooms_visited = 2;  // on the shortest way; determines the step limit
  Position agent_room = {0, 0};
  int room_size = 6;
  bool keys_last = false;  // version 1: no ball can replace a box with a key
  int min_grid_size = 0;   // minimum width and height of the grid
};
Level obstructed_maze(const ObstructedMazeShape& shape, LevelRandom& random);

// memory.cc: remember an object, walk down a hallway, turn towards the same kind of object.
Level memory(int size, bool random_length, LevelRandom& random);

// red_blue_doors.cc: open the red door, then the blue one.
Level red_blue_doors(int size, LevelRandom& random);

// objects.cc: find one of several objects in a room.
Level put_near(int size, int num_objects, LevelRandom& random);
Level fetch(int size, int num_objects, LevelRandom& random);
Level go_to_object(int size, int num_objects, LevelRandom& random);

// go_to_door.cc: go to the door of the mission's color.
Level go_to_door(int size, LevelRandom& random);

// playground.cc: nine rooms with doors and objects, without a goal.
Level playground(LevelRandom& random);

}  // namespace plr::minigrid

// The data of an episode: a constant Level and a State that every step changes.
//
//   const Level level = make_level(find_task("MiniGrid-DoorKey-8x8-v0"), seed);   // tasks.h
//   State state = level.start;
//   const StepResult result = step(level, state, Action::kForward);               // step.h
//
// Both are plain values, copyable by memcpy.  A State has neither pointers nor padding: equal
// states have equal bytes.  Threads may share a Level; a State belongs to one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "plr/minigrid/grid.h"
#include "plr/minigrid/numpy_random.h"

namespace plr::minigrid {

// The object that the agent carries: a key, a ball or a box with its content; an empty cell if
// none.
struct Carried {
  Cell cell;
  BoxContent content;
  friend bool operator==(const Carried&, const Carried&) = default;
};

// The moving balls (Dynamic-Obstacles only), in the order of their creation.
struct Obstacles {
  std::array<Position, 8> at;
  std::int32_t count = 0;
  friend bool operator==(const Obstacles&, const Obstacles&) = default;
};

struct State {
  NumpyRandom random{};  // the level's stream (kPcg64) after generation; moves obstacles
  Position agent;
  std::int32_t step_count = 0;
  Obstacles obstacles;
  Direction direction = Direction::kRight;
  Carried carrying;
  Grid grid;
  std::array<std::uint8_t, 5> fill = {};  // zeros instead of padding

  Position front() const { return agent + offset(direction); }
  bool hand_is_empty() const { return carrying.cell.kind == Kind::kEmpty; }

  friend bool operator==(const State&, const State&) = default;
};
static_assert(std::is_trivially_copyable_v<State>);
static_assert(std::has_unique_object_representations_v<State>, "a State has no padding");

// What ends and what rewards an episode, in addition to the step limit, goals and lava.
enum class Rules : std::uint8_t {
  kReachGoal,       // nothing in addition
  kPickUp,          // the agent carries the target
  kOpenDoor,        // the door at `position` is open
  kFetch,           // the agent carries any object; rewarded if it is the target
  kGoTo,            // `done` next to `position`; toggle ends the episode without reward
  kPutNear,         // the target is dropped next to `position`; taking another object ends it
  kMemory,          // the agent is at `position`, rewarded, or at `other_position`
  kRedBlueDoors,    // the door at `position` is opened, then the one at `other_position`
  kMovingObstacles  // the agent walks into an obstacle or a wall
};

class Mission {
 public:
  Mission() = default;
  // Throws std::invalid_argument for a text of more than 95 bytes.
  explicit Mission(std::string_view text);
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 95> text_ = {};
  std::uint8_t size_ = 0;
};

struct Level {
  Rules rules = Rules::kReachGoal;
  bool see_through_walls = false;          // walls hide nothing in the partial view
  std::optional<std::uint8_t> difficulty;  // from 0, the easiest; nothing if the task has none
  std::int32_t max_steps = 100;
  Cell target;        // of the rules; unique by kind and color where that matters
  Position position;  // of the rules
  Position other_position;
  Mission mission;  // the task in the reference's words
  State start;
};
static_assert(std::is_trivially_copyable_v<Level>);

}  // namespace plr::minigrid

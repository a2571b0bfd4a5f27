// What is an episode made of?
//
// A Level, which stays as it is while one plays, and a State, which every step changes:
//
//   const Level level = make_level(find_task("MiniGrid-DoorKey-8x8-v0"), seed);   // tasks.h
//   State state = level.start;
//   const StepResult result = step(level, state, Action::kForward);               // step.h
//
// Both are plain values.  A State has neither pointers nor padding: equal states have equal bytes,
// and saving one is copying sizeof(State) bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "plr/minigrid/grid.h"
#include "plr/minigrid/numpy_random.h"

namespace plr::minigrid {

// What the agent holds: a key, a ball or a box with its content; an empty cell for nothing.
struct Carried {
  Cell cell;
  BoxContent content;
  friend bool operator==(const Carried&, const Carried&) = default;
};

// The balls that move by themselves (Dynamic-Obstacles only), in the order of their creation.
struct Obstacles {
  std::array<Position, 8> at;
  std::int32_t count = 0;
  friend bool operator==(const Obstacles&, const Obstacles&) = default;
};

struct State {
  NumpyRandom random{};  // where the level's stream stands (kPcg64); obstacles move by it
  Position agent;
  std::int32_t step_count = 0;
  Obstacles obstacles;
  Direction direction = Direction::kRight;
  Carried carrying;
  Grid grid;
  std::array<std::uint8_t, 5> fill = {};  // zeros: what would be padding

  Position front() const { return agent + offset(direction); }
  bool hand_is_empty() const { return carrying.cell.kind == Kind::kEmpty; }

  friend bool operator==(const State&, const State&) = default;
};
static_assert(std::is_trivially_copyable_v<State>);
static_assert(std::has_unique_object_representations_v<State>, "a State has no padding");

// What ends an episode and what is rewarded, besides the time limit, goals and lava.
enum class Rules : std::uint8_t {
  kReachGoal,       // nothing besides
  kPickUp,          // holding the target
  kOpenDoor,        // the door at `place` stands open
  kFetch,           // holding anything; rewarded if it is the target
  kGoTo,            // saying `done` next to `place`; toggling ends it without reward
  kPutNear,         // dropping the target next to `place`; taking anything else ends it
  kMemory,          // standing at `place`, rewarded, or at `other_place`
  kRedBlueDoors,    // opening the door at `place`, then that at `other_place`
  kMovingObstacles  // bumping into something
};

class Mission {
 public:
  Mission() = default;
  // Texts of up to 95 bytes; throws std::invalid_argument beyond.
  explicit Mission(std::string_view text);
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 95> text_ = {};
  std::uint8_t size_ = 0;
};

struct Level {
  Rules rules = Rules::kReachGoal;
  bool see_through_walls = false;          // the partial view hides nothing
  std::optional<std::uint8_t> difficulty;  // from 0, easiest, where the task has degrees of it
  std::int32_t max_steps = 100;
  Cell target;     // what the rules are about; unique by kind and color where it matters
  Position place;  // where they apply
  Position other_place;
  Mission mission;  // the task in words, as the reference words it
  State start;
};
static_assert(std::is_trivially_copyable_v<Level>);

}  // namespace plr::minigrid

// The options of an environment besides its name.
//
// A plain struct: copyable, without synchronization.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"
#include "plr/core/level_store.h"

namespace plr {

enum class Observation : std::uint8_t {
  kDefault,
  kFull,
  kView,
};
constexpr std::array<std::string_view, 3> enum_names(Observation) {
  return {"default", "full", "view"};
}
constexpr std::array<std::string_view, 3> enum_texts(Observation) {
  return {"the first that the environment's family offers", "the whole level",
          "the part that the agent sees"};
}

enum class LevelSeeding : std::uint8_t {
  kDefault,
  kLegacy,
  kPcg64,
};
constexpr std::array<std::string_view, 3> enum_names(LevelSeeding) {
  return {"default", "legacy", "pcg64"};
}
constexpr std::array<std::string_view, 3> enum_texts(LevelSeeding) {
  return {"that of the environment", "gym 0.17: the levels that the paper's authors trained on",
          "gymnasium: the levels of today's minigrid"};
}

enum class StepLimit : std::uint8_t { kDefault, kArea };
constexpr std::array<std::string_view, 2> enum_names(StepLimit) { return {"default", "area"}; }
constexpr std::array<std::string_view, 2> enum_texts(StepLimit) {
  return {"that of the environment, such as 250",
          "2 (width + 2) (height + 2), the limit of minimax and DCD on named levels"};
}

// How ACCEL edits a level of the maze (maze/edit.h).
enum class MazeEdits : std::uint8_t {
  kFlips,
  kTiles,
  kTilesWithoutAgent,
};
constexpr std::array<std::string_view, 3> enum_names(MazeEdits) {
  return {"flips", "tiles", "tiles-without-agent"};
}
constexpr std::array<std::string_view, 3> enum_texts(MazeEdits) {
  return {"flips cells and moves the goal, as JaxUED and minimax",
          "sets cells, agent and goal, as the other mutator of JaxUED",
          "sets cells and goal, as DCD"};
}

// Options of the maze; other families refuse all but the defaults.
struct MazeOptions {
  int view_size = 5;
  static constexpr Field kViewSize{&MazeOptions::view_size, "view_size", from_to(1, 201),
                                   "for the maze: cells along a side of the agent's view, odd"};

  bool see_agent = false;
  static constexpr Field kSeeAgent{&MazeOptions::see_agent, "see_agent",
                                   "for the maze: the view shows the agent in its own cell"};

  bool penalize_time = true;
  static constexpr Field kPenalizeTime{
      &MazeOptions::penalize_time, "penalize_time",
      "for the maze: the goal pays 1 - 0.9 * time / limit instead of 1"};

  int max_steps = 0;
  static constexpr Field kMaxSteps{&MazeOptions::max_steps, "max_steps", from_to(0, 1'000'000),
                                   "for the maze: steps of an episode, 0 for those of step_limit"};

  StepLimit step_limit = StepLimit::kDefault;
  static constexpr Field kStepLimit{
      &MazeOptions::step_limit, "step_limit",
      "for the maze: default, or area for 2 (width + 2) (height + 2) steps"};

  MazeEdits edits = MazeEdits::kFlips;
  static constexpr Field kEdits{&MazeOptions::edits, "maze_edits",
                                "for the maze: the random edits of ACCEL"};

  static constexpr std::tuple kFields{kViewSize, kSeeAgent,  kPenalizeTime,
                                      kMaxSteps, kStepLimit, kEdits};
  friend bool operator==(const MazeOptions&, const MazeOptions&) = default;
};

struct EnvOptions {
  int num_slots = 64;
  static constexpr Field kNumSlots{&EnvOptions::num_slots, "num_slots", from_to(1, 1 << 16),
                                   "number of environments that are played in parallel"};

  int num_workers = 0;
  static constexpr Field kNumWorkers{
      &EnvOptions::num_workers, "num_workers", from_to(0, 1024),
      "threads that step the slots, 0 for one per core; MiniGrid uses at most one per 128 slots, "
      "the maze one per 4,096; does not change results"};

  Observation observation = Observation::kDefault;
  static constexpr Field kObservation{
      &EnvOptions::observation, "observation",
      "full: the whole grid, default of MiniGrid; view: the cells in front of the agent, default "
      "of the maze"};

  LevelSeeding seeding = LevelSeeding::kDefault;
  static constexpr Field kSeeding{&EnvOptions::seeding, "seeding",
                                  "for MiniGrid: how a level's seed becomes random numbers"};

  MazeOptions maze = {};

  static constexpr std::tuple kFields{kNumSlots, kNumWorkers, kObservation, kSeeding,
                                      Nested{&EnvOptions::maze}};

  // The levels with ids from 2^63 on, for families whose levels are data; null: there are none.
  std::shared_ptr<const LevelStore> store = nullptr;
};

// Throws std::invalid_argument if an option of the maze is not its default.
void refuse_maze_options(std::string_view env, const EnvOptions& options);

// For an environment with full observations and no options of its own: throws std::invalid_argument
// if a number is out of bounds, or another option than num_slots and num_workers is not its
// default.
void check_plain_options(std::string_view env, const EnvOptions& options);

}  // namespace plr

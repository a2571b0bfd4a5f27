// The options of an environment besides its name.
//
// A plain struct: copyable, without synchronization.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr {

enum class Observation : std::uint8_t {
  kFull,  // the whole level
  kView,  // the part that the agent sees
};
constexpr std::array<std::string_view, 2> enum_names(Observation) { return {"full", "view"}; }

enum class LevelSeeding : std::uint8_t {
  kDefault,  // that of the environment
  kLegacy,   // gym 0.17: the levels that the paper's authors trained on
  kPcg64,    // gymnasium: the levels of today's minigrid
};
constexpr std::array<std::string_view, 3> enum_names(LevelSeeding) {
  return {"default", "legacy", "pcg64"};
}

struct EnvOptions {
  int num_slots = 64;
  static constexpr Field kNumSlots{&EnvOptions::num_slots, "num_slots", from_to(1, 1 << 16),
                                   "number of environments that are played in parallel"};

  int num_workers = 0;
  static constexpr Field kNumWorkers{
      &EnvOptions::num_workers, "num_workers", from_to(0, 1024),
      "threads that step the slots, 0 for one per core; MiniGrid uses at most one per 128 slots; "
      "does not change results"};

  Observation observation = Observation::kFull;
  static constexpr Field kObservation{
      &EnvOptions::observation, "observation",
      "for MiniGrid: the whole grid, or the 7 x 7 cells in front of the agent"};

  LevelSeeding seeding = LevelSeeding::kDefault;
  static constexpr Field kSeeding{&EnvOptions::seeding, "seeding",
                                  "for MiniGrid: how a level's seed becomes random numbers"};

  static constexpr std::tuple kFields{kNumSlots, kNumWorkers, kObservation, kSeeding};
};

}  // namespace plr

// What can be chosen about an environment, besides its name?
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "plr/base/fields.h"

namespace plr {

enum class Observation : std::uint8_t {
  kFull,  // the whole level
  kView,  // what the agent sees from where it stands
};
constexpr std::array<std::string_view, 2> enum_names(Observation) { return {"full", "view"}; }

enum class LevelSeeding : std::uint8_t {
  kDefault,  // the environment's own
  kLegacy,   // gym 0.17: the levels that the paper's authors trained on
  kPcg64,    // gymnasium: the levels of today's minigrid
};
constexpr std::array<std::string_view, 3> enum_names(LevelSeeding) {
  return {"default", "legacy", "pcg64"};
}

struct EnvOptions {
  int num_slots = 64;
  int num_workers = 0;
  Observation observation = Observation::kFull;
  LevelSeeding seeding = LevelSeeding::kDefault;
};

template <class Options, class Visit>
requires std::same_as<std::remove_const_t<Options>, EnvOptions>
void visit_fields(Options& options, Visit&& visit) {
  visit("num_slots", options.num_slots, from_to(1, 1 << 16), "environments played side by side");
  visit("num_workers", options.num_workers, from_to(0, 1024),
        "threads that step them, 0 for one per core; of Procgen; never changes a result");
  visit("observation", options.observation, any_value(),
        "of MiniGrid: the whole grid, or the 7 x 7 cells in front of the agent");
  visit("seeding", options.seeding, any_value(),
        "of MiniGrid: how a level's seed becomes random numbers");
}

}  // namespace plr

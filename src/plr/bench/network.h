// The networks that are measured, and random input for them.
//
//   const learn::Network network = make_network(PresetNetwork::kProcgen, precision, device);
//   const learn::Rollout rollout = noise({8, 2048}, PresetNetwork::kProcgen, network);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "plr/learn/network.h"
#include "plr/learn/rollout.h"

namespace plr::bench {

// The networks of the presets: the IMPALA network, the grid CNN in two sizes, and the recurrent
// network.
enum class PresetNetwork : std::uint8_t { kProcgen, kMultiroom, kOmgMedium, kMaze };
constexpr std::array<std::string_view, 4> enum_names(PresetNetwork) {
  return {"procgen", "multiroom", "omg-medium", "maze"};
}

learn::Network make_network(PresetNetwork network, learn::Precision precision, at::Device device);

// A rollout of random observations, which cost the same as real ones.
learn::Rollout noise(const learn::RolloutSize& size, PresetNetwork network,
                     const learn::Network& made);

}  // namespace plr::bench

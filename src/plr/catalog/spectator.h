// How do people watch an environment, of whatever family?
//
//   const Image picture = frame_of(*env, 0, observation, {.tile_size = 24});
//   action_name(*env, action);   // "forward"
//
// MiniGrid is drawn as its users know it; where a family has no pictures of its own, the
// observation is one.  Thread-safe as long as nobody steps the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "plr/env/vector_env.h"
#include "plr/image/image.h"
#include "plr/minigrid/tile_map.h"

namespace plr {

struct FrameOptions {
  int tile_size = 24;      // in pixels; an observation is enlarged to about 16 tiles
  bool highlight = false;  // of MiniGrid: brightens what the agent sees
};

// What a slot that has been started shows now, `observation` being its last.  Throws
// std::invalid_argument if that is no picture: bytes [H, W, 1] or [H, W, 3].
Image frame_of(const VectorEnv& env, int slot, std::span<const std::uint8_t> observation,
               const FrameOptions& options = {});

// The same as tiles, for drawers that have no pixels; nothing where it is not made of tiles.
std::optional<minigrid::TileMap> tiles_of(const VectorEnv& env, int slot);

// What the agent of a slot holds, like "yellow key"; empty if nothing.
std::string carried_in(const VectorEnv& env, int slot);

// A word, or the number where the family has no words.
std::string action_name(const VectorEnv& env, Action action);

}  // namespace plr

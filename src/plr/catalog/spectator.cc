#include "plr/catalog/spectator.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "plr/minigrid/minigrid_env.h"
#include "plr/minigrid/render.h"
#include "plr/minigrid/step.h"
#include "plr/procgen/procgen_env.h"

namespace plr {
namespace {

// An observation is enlarged to about as many tiles, which is what a grid has.
constexpr int kObservationTiles = 16;

const minigrid::MiniGridEnv* as_minigrid(const VectorEnv& env) {
  return dynamic_cast<const minigrid::MiniGridEnv*>(&env);
}

Image picture_of_observation(const EnvSpec& spec, std::span<const std::uint8_t> bytes,
                             int tile_size) {
  const auto [height, width, channels] = spec.observation_shape;
  if ((channels != 1 && channels != 3) || bytes.size() != spec.observation_size()) {
    throw std::invalid_argument("observations of " + spec.name + " are no pictures");
  }
  const int scale = std::max(1, kObservationTiles * tile_size / std::max(width, height));
  Image picture(width * scale, height * scale);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const auto* pixel =
          &bytes[static_cast<std::size_t>(((y / scale) * width + x / scale) * channels)];
      picture.set({x, y}, {pixel[0], pixel[channels / 2], pixel[channels - 1]});
    }
  }
  return picture;
}

}  // namespace

std::optional<minigrid::TileMap> tiles_of(const VectorEnv& env, int slot) {
  const auto* grids = as_minigrid(env);
  if (grids == nullptr) return std::nullopt;
  return whole_map(grids->level_in(slot), grids->state_in(slot));
}

Image frame_of(const VectorEnv& env, int slot, std::span<const std::uint8_t> observation,
               const FrameOptions& options) {
  if (const auto tiles = tiles_of(env, slot)) {
    return render(*tiles, {.tile_size = options.tile_size, .highlight = options.highlight});
  }
  return picture_of_observation(env.spec(), observation, options.tile_size);
}

std::string carried_in(const VectorEnv& env, int slot) {
  const auto* grids = as_minigrid(env);
  if (grids == nullptr || grids->state_in(slot).hand_is_empty()) return "";
  const minigrid::Cell cell = grids->state_in(slot).carrying.cell;
  return std::string(name_of(cell.color)) + " " + std::string(name_of(cell.kind));
}

std::string action_name(const VectorEnv& env, Action action) {
  constexpr std::array<const char*, minigrid::kNumActions> kMiniGrid = {
      "left", "right", "forward", "pick up", "drop", "toggle", "done"};
  // Movements of nine directions, then the keys whose meaning is the game's.
  constexpr std::array<const char*, procgen::kNumActions> kProcgen = {
      "l-down", "left", "l-up", "down", "none", "up", "r-down", "right",
      "r-up",   "D",    "A",    "W",    "S",    "Q",  "E"};
  if (as_minigrid(env) != nullptr) return kMiniGrid.at(static_cast<std::size_t>(action));
  if (dynamic_cast<const procgen::ProcgenEnv*>(&env) != nullptr) {
    return kProcgen.at(static_cast<std::size_t>(action));
  }
  return std::to_string(action);
}

}  // namespace plr

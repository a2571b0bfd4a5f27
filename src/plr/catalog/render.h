// Pictures and words for a slot of any environment, for people who watch it.
//
//   const Image picture = render_frame(*env, 0, observation, {.tile_size = 24});
//   action_name(*env, action);   // "forward"
//
// A family with pictures of its own (env/family.h) draws the slot as its users know it; for others
// the observation is the picture.  Thread-safe while no thread starts or steps the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "plr/env/family.h"
#include "plr/env/vector_env.h"
#include "plr/image/image.h"
#include "plr/image/text_picture.h"

namespace plr::catalog {

// Whether slots can be drawn: the family has pictures, or the observation is one.
bool has_pictures(const VectorEnv& env);

// The slot as it is now; `observation` is its latest.  Throws std::invalid_argument if the family
// has no pictures and the observation is none: bytes [H, W, 1] or [H, W, 3].
// REQUIRES: the slot has been started.
image::Image render_frame(const VectorEnv& env, int slot, std::span<const std::uint8_t> observation,
                          const FrameOptions& options = {});

// Starts a level in the first slot and draws it.  Throws as VectorEnv::start() and render_frame()
// do.
image::Image render_level(VectorEnv& env, LevelId level, const FrameOptions& options = {});

// A slot in characters; nothing where the family has no tiles.
// REQUIRES: the slot has been started.
std::optional<image::TextPicture> render_text(const VectorEnv& env, int slot,
                                              Observation observation = Observation::kFull);

// What the characters of render_text() mean; empty where the family has no tiles.
image::Legend text_legend(const VectorEnv& env);

// The object that the agent of a slot carries, such as "yellow key"; empty if none.
// REQUIRES: the slot has been started.
std::string carried_object(const VectorEnv& env, int slot);

// The family's word for an action, or its number.
std::string action_name(const VectorEnv& env, Action action);
// The same for each word of an action: "forward", "left right", "-1.250".
std::string action_text(const VectorEnv& env, std::span<const Action> action);

}  // namespace plr::catalog

// The sixteen games of procgen 0.10.7, in their modes.
//
// Every game has the modes easy and hard, some have others.  A game in a mode is a Variant; its
// environment is "procgen/GAME" for easy, otherwise "procgen/GAME-MODE":
//
//   const std::optional<Variant> variant = find_variant("procgen/bigfish-hard");
//
// Plain structs, copyable; the games are constant after the first call.  Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/env/return_range.h"

namespace plr::procgen {

enum class Mode : std::uint8_t { kEasy, kHard, kExtreme, kMemory };
constexpr std::array<std::string_view, 4> enum_names(Mode) {
  return {"easy", "hard", "extreme", "memory"};
}

struct Game {
  std::string name;
  std::string summary;  // one line
  int max_steps = 0;    // in most of its modes
  ReturnRange easy;     // from the Procgen paper (arXiv 1912.01588, appendix C)
  ReturnRange hard;
  std::vector<Mode> modes;
  // The episode that the library begins after an end depends on the one before: on the direction of
  // the player, or on the number of diamonds left.
  bool remembers = false;
};

// Sorted by name.
std::span<const Game> games();

struct Variant {
  const Game* game = nullptr;
  Mode mode = Mode::kEasy;

  std::string env_name() const;
  int max_steps() const;
  // Nothing for modes other than easy and hard.
  std::optional<ReturnRange> returns() const;
};

// All games in all their modes.
std::vector<Variant> variants();

// The variant of an environment's name; nothing if it names no game of Procgen.  Throws
// std::invalid_argument for a mode that the game does not have.
std::optional<Variant> find_variant(std::string_view env_name);

}  // namespace plr::procgen

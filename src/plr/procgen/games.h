// Which games does Procgen have, and what is known about them?
//
// The sixteen games of procgen 0.10.7, each in the modes easy and hard and some in others.  A game
// in a mode is a Variant; its environment is "procgen/GAME" for easy and "procgen/GAME-MODE" else:
//
//   const std::optional<Variant> variant = find_variant("procgen/bigfish-hard");
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
  std::string summary;  // one plain line
  int max_steps = 0;    // of most of its modes
  ReturnRange easy;     // as the Procgen paper lists them (arXiv 1912.01588, appendix C)
  ReturnRange hard;
  std::vector<Mode> modes;
  // Something of an episode lives on in the one that the library begins by itself: where one was
  // headed, or how many diamonds were left.
  bool remembers = false;
};

// By name.
std::span<const Game> games();

struct Variant {
  const Game* game = nullptr;
  Mode mode = Mode::kEasy;

  std::string env_name() const;
  int max_steps() const;
  // Known for easy and hard.
  std::optional<ReturnRange> returns() const;
};

// All games in all their modes.
std::vector<Variant> variants();

// Of an environment's name; nothing if that is no game of Procgen.  Throws std::invalid_argument
// for a mode that the game does not have.
std::optional<Variant> find_variant(std::string_view env_name);

}  // namespace plr::procgen

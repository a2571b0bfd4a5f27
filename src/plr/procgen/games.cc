#include "plr/procgen/games.h"

#include <algorithm>
#include <stdexcept>

#include "plr/base/fields.h"

namespace plr::procgen {
namespace {

constexpr std::string_view kPrefix = "procgen/";

using enum Mode;

std::vector<Game> all_games() {
  return {
      {"bigfish",
       "eat the smaller fish and grow, keep away from the bigger ones",
       6000,
       {1, 40},
       {0, 40},
       {kEasy, kHard}},
      {"bossfight",
       "shoot at a boss when its shield is down, and survive its fire",
       4000,
       {.5, 13},
       {.5, 13},
       {kEasy, kHard}},
      {"caveflyer",
       "fly through a cave to the ship, past meteors; shoot targets on the way",
       1000,
       {3.5, 12},
       {2, 13.4},
       {kEasy, kHard, kMemory}},
      {"chaser",
       "eat all the green orbs of a maze before the enemies catch you",
       1000,
       {.5, 13},
       {.5, 14.2},
       {kEasy, kHard, kExtreme}},
      {"climber",
       "climb from platform to platform and collect the stars",
       1000,
       {2, 12.6},
       {1, 12.6},
       {kEasy, kHard}},
      {"coinrun",
       "run and jump to the coin at the far right",
       1000,
       {5, 10},
       {5, 10},
       {kEasy, kHard}},
      {"dodgeball",
       "hit the enemies with balls, touch no wall, then reach the door",
       1000,
       {1.5, 19},
       {1.5, 19},
       {kEasy, kHard, kExtreme, kMemory},
       /*remembers=*/true},
      {"fruitbot",
       "steer through the gaps, collect fruit and nothing else",
       1000,
       {-1.5, 32.4},
       {-.5, 27.2},
       {kEasy, kHard}},
      {"heist",
       "open locks with keys of their color, on the way to the gem",
       1000,
       {3.5, 10},
       {2, 10},
       {kEasy, kHard, kMemory}},
      {"jumper",
       "find the carrot in a cave by jumps and double jumps; a compass points to it",
       1000,
       {3, 10},
       {1, 10},
       {kEasy, kHard, kMemory}},
      {"leaper",
       "cross lanes of cars, then a river on drifting logs",
       500,
       {3, 10},
       {1.5, 10},
       {kEasy, kHard, kExtreme}},
      {"maze", "find the cheese", 500, {5, 10}, {4, 10}, {kEasy, kHard, kMemory}},
      {"miner",
       "dig for all the diamonds under loose boulders, then go to the exit",
       1000,
       {1.5, 13},
       {1.5, 20},
       {kEasy, kHard, kMemory},
       /*remembers=*/true},
      {"ninja",
       "jump over narrow ledges to the mushroom, and throw stars at bombs",
       1000,
       {3.5, 10},
       {2, 10},
       {kEasy, kHard}},
      {"plunder",
       "sink enemy ships and spare the others before time runs out",
       4000,
       {4.5, 30},
       {3, 30},
       {kEasy, kHard}},
      {"starpilot",
       "fly through waves of enemies, shoot or dodge",
       1000,
       {2.5, 64},
       {1.5, 35},
       {kEasy, kHard, kExtreme}},
  };
}

std::string modes_text(const Game& game) {
  std::string text;
  for (const Mode mode : game.modes) text += (text.empty() ? "" : ", ") + to_text(mode);
  return text;
}

}  // namespace

std::span<const Game> games() {
  static const std::vector<Game> all = all_games();
  return all;
}

std::string Variant::env_name() const {
  std::string name = std::string(kPrefix) + game->name;
  if (mode != kEasy) name.append("-").append(to_text(mode));
  return name;
}

int Variant::max_steps() const {
  // The world is larger in this mode.
  const bool is_longer = game->name == "jumper" && mode == kMemory;
  return is_longer ? 2 * game->max_steps : game->max_steps;
}

std::optional<ReturnRange> Variant::returns() const {
  if (mode == kEasy) return game->easy;
  if (mode == kHard) return game->hard;
  return std::nullopt;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const Game& game : games()) {
    for (const Mode mode : game.modes) all.push_back({&game, mode});
  }
  return all;
}

std::optional<Variant> find_variant(std::string_view env_name) {
  if (!env_name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view task = env_name.substr(kPrefix.size());
  const std::string_view name = task.substr(0, task.find('-'));
  const auto game = std::ranges::find(games(), name, &Game::name);
  if (game == games().end()) return std::nullopt;
  if (name == task) return Variant{&*game, kEasy};
  const std::string_view mode = task.substr(name.size() + 1);
  for (const Mode known : game->modes) {
    if (known != kEasy && to_text(known) == mode) return Variant{&*game, known};
  }
  throw std::invalid_argument(std::string(kPrefix) + game->name + " has the modes " +
                              modes_text(*game) + " (the first without a suffix), not '" +
                              std::string(mode) + "'");
}

}  // namespace plr::procgen

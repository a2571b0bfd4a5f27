// Who decides what the agent trains on next?
//
// A curriculum hands out levels and hears how each episode went.  The collector asks it once per
// episode; what ended together is recorded first, then drawn for, in the order of the slots:
//
//   std::vector<LevelId> playing = curriculum.first(num_slots);
//   ...
//   curriculum.record({.level = playing[slot], .score = 0.3, .episode_return = 10});
//   playing[slot] = curriculum.next();
//
// level_replay.h is Prioritized Level Replay; uniform.h and tscl.h are the paper's baselines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plr/core/level.h"

namespace plr {

// How an episode went.
struct EpisodeResult {
  LevelId level = 0;
  double score = 0;           // what may still be learnt there (episode_scorer.h)
  double episode_return = 0;  // the sum of its raw rewards
  bool is_finished = true;    // false for a piece of an episode that goes on; it has no return
};

// What a curriculum holds of a level, for logs and figures.
struct LevelWeight {
  LevelId level = 0;
  bool is_scored = false;
  double score = 0;        // as last recorded; 0 where none was
  double staleness = 0;    // draws since it was last chosen
  double probability = 0;  // of being the one, if the next draw is among these levels
};

// Numbers of a curriculum that replays levels, for logs.
struct ReplaySummary {
  std::uint64_t num_seen = 0;     // levels that can be replayed
  std::int64_t num_draws = 0;     // so far
  double replay_probability = 0;  // that the next draw is a replay
};

// The levels that the slots begin with.
enum class FirstLevels : std::uint8_t {
  kDrawn,       // drawn like all others; by level replay, new ones as long as there are any
  kSequential,  // slot k begins with the k-th level, from the start again after the last
};
constexpr std::array<std::string_view, 2> enum_names(FirstLevels) {
  return {"drawn", "sequential"};
}

// The first levels of kSequential.
std::vector<LevelId> sequential_levels(const LevelSet& levels, std::size_t num_slots);

// What every curriculum asks of a result before it believes it.  Throws as Curriculum::record does.
void check_result(const EpisodeResult& result, const LevelSet& levels);

class Curriculum {
 public:
  virtual ~Curriculum() = default;

  // The first level of every slot.  Called once, before any next().
  virtual std::vector<LevelId> first(std::size_t num_slots) {
    std::vector<LevelId> levels;
    while (levels.size() < num_slots) levels.push_back(next());
    return levels;
  }

  // The level of the next episode.
  virtual LevelId next() = 0;

  // An episode has ended.  Throws std::invalid_argument if a number is not finite and
  // std::out_of_range if the level cannot have been played; nothing has changed then.
  virtual void record(const EpisodeResult& result) = 0;

  // The levels that it may choose again, each with its probability.
  virtual std::vector<LevelWeight> weights() const = 0;

  // Nothing unless the curriculum chooses between new and seen levels.
  virtual std::optional<ReplaySummary> replay_summary() const { return std::nullopt; }

  // Everything that decides its future.  load() throws std::runtime_error on bytes that are damaged
  // or of a differently made curriculum; nothing has changed then.
  virtual std::vector<std::byte> save() const = 0;
  virtual void load(std::span<const std::byte> bytes) = 0;
};

}  // namespace plr

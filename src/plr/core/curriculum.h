// The interface of a curriculum: it chooses the level of every episode and records the results.
//
// The collector calls next() once per episode. Results of episodes that end at the same step are
// recorded first; then the next levels are drawn, in the order of the slots:
//
//   std::vector<LevelId> playing = curriculum.first(num_slots);
//   ...
//   curriculum.record({.level = playing[slot], .score = 0.3, .episode_return = 10});
//   playing[slot] = curriculum.next();
//
// level_replay.h is Prioritized Level Replay; uniform.h and tscl.h are the paper's baselines.
// Curricula that decide once per rollout have the interface of rollout_curriculum.h.
// Implementations are copyable and not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/core/level.h"

namespace plr {

// The result of an episode.
struct EpisodeResult {
  LevelId level = 0;
  double score = 0;           // learning potential of the level (episode_scorer.h)
  double episode_return = 0;  // sum of its raw rewards
  bool is_finished = true;    // false for a piece of an open episode, which has no return
};

// The score of a level on which no episode ended (rollout_scores.h, level_buffer.h).
inline constexpr double kUnmeasuredScore = -std::numeric_limits<double>::infinity();

// The data of a level, for logs and figures.
struct LevelWeight {
  LevelId level = 0;
  bool is_scored = false;
  double score = 0;        // last recorded; 0 if none was
  double staleness = 0;    // number of draws since it was last chosen
  double probability = 0;  // of being drawn next, given that the draw is among these levels
};

// Numbers of a curriculum that replays levels, for logs.
struct ReplaySummary {
  std::uint64_t num_seen = 0;     // levels that can be replayed
  std::int64_t num_draws = 0;     // so far
  double replay_probability = 0;  // that the next draw is a replay
};

// The levels that the slots start with.
enum class FirstLevels : std::uint8_t { kDrawn, kSequential };
constexpr std::array<std::string_view, 2> enum_names(FirstLevels) {
  return {"drawn", "sequential"};
}
constexpr std::array<std::string_view, 2> enum_texts(FirstLevels) {
  return {"drawn like all others; by level replay, unseen ones while there are any",
          "slot k starts with the k-th level, modulo the number of levels"};
}

struct StartConfig {
  FirstLevels first_levels = FirstLevels::kDrawn;
  static constexpr Field kFirstLevels =
      Field{&StartConfig::first_levels, "first_levels", "levels that the slots start with (D4)"}
          .released(FirstLevels::kSequential);

  static constexpr std::tuple kFields{kFirstLevels};
};

// The first levels of kSequential.
std::vector<LevelId> sequential_levels(const LevelSet& levels, std::size_t num_slots);

// Checks a result; throws like Curriculum::record().
void check_result(const EpisodeResult& result, const LevelSet& levels);

// What every curriculum has: numbers for logs, and a state.
class CurriculumBase {
 public:
  virtual ~CurriculumBase() = default;

  // The levels that may be drawn again, with their probabilities.
  virtual std::vector<LevelWeight> weights() const = 0;

  // Nothing unless the curriculum chooses between new and seen levels.
  virtual std::optional<ReplaySummary> replay_summary() const { return std::nullopt; }

  // The whole state, as bytes. load() throws std::runtime_error if the bytes are damaged or were
  // saved with other settings or levels, and then changes nothing.
  virtual std::vector<std::byte> save() const = 0;
  virtual void load(std::span<const std::byte> bytes) = 0;
};

class Curriculum : public CurriculumBase {
 public:
  // The first level of every slot. REQUIRES: called once, before next().
  virtual std::vector<LevelId> first(std::size_t num_slots) {
    std::vector<LevelId> levels;
    while (levels.size() < num_slots) levels.push_back(next());
    return levels;
  }

  // The level of the next episode.
  virtual LevelId next() = 0;

  // Records the result of an episode. Throws std::invalid_argument if a number is not finite and
  // std::out_of_range if the level cannot have been played, and then changes nothing.
  virtual void record(const EpisodeResult& result) = 0;
};

}  // namespace plr

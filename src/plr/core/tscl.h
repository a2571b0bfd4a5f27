// On which level do returns change most?
//
// TSCL-Window (Matiisen et al. 2017), a baseline of the paper.  For each level it keeps the last
// returns with the times at which they were earned; the slope of the line through them (least
// squares) is the level's progress Q, smoothed if so wanted.  Forgetting counts like learning:
// next() prefers large |Q|, by epsilon-greedy or Boltzmann, mixed with staleness as in
// level_replay.h:
//
//   (1 - staleness_coef) * P_progress  +  staleness_coef * P_staleness
//
//   Tscl tscl(LevelSet::range(0, 200), {.window = 10}, streams.named("levels"));
//   const LevelId level = tscl.next();
//   ...  // play an episode there
//   tscl.record({.level = level, .episode_return = 10});
//
// All levels may be drawn from the start; one never played has Q = 0.  A return's time is the
// number of episodes that ended before it, so that no two returns have the same.
//
// A draw costs O(log levels), a record O(log levels + window).  A level's window takes memory as it
// fills.  A value type: a copy goes on with the same draws.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/replay_distribution.h"
#include "plr/core/tscl_config.h"

namespace plr {

// A return and the time at which it was earned.
struct TimedReturn {
  std::int64_t time = 0;
  double value = 0;
};

// The slope of the least-squares line through points of different times; `first_slope` if there
// are fewer than two of them.
double least_squares_slope(std::span<const TimedReturn> points, double first_slope = 0);

class Tscl final : public Curriculum {
 public:
  // Throws std::invalid_argument if a setting is out of its bounds or the levels are a stream.
  Tscl(LevelSet levels, const TsclConfig& config, const Random& random,
       FirstLevels first_levels = FirstLevels::kDrawn);

  std::vector<LevelId> first(std::size_t num_slots) override;
  LevelId next() override;

  // Takes note that `level` is played next, as next() does with the level it draws.
  void choose(LevelId level);

  // Pieces of unfinished episodes have no return and are ignored.
  void record(const EpisodeResult& result) override;

  const LevelSet& levels() const { return levels_; }
  const TsclConfig& config() const { return config_; }
  FirstLevels first_levels() const { return first_levels_; }
  // Q of a level, with its sign.
  double progress(LevelId level) const;
  // How many draws there have been.
  std::int64_t num_draws() const { return num_draws_; }

  // Of all levels, in their order; the score is |Q|.
  std::vector<LevelWeight> weights() const override;

  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  using Slot = ReplayDistribution::Slot;

  // The last returns of a level; once there are `window` of them, `oldest` is replaced next.
  struct Window {
    std::vector<TimedReturn> points;
    std::size_t oldest = 0;
  };

  std::size_t index_of(LevelId level) const;

  LevelSet levels_;
  TsclConfig config_;
  FirstLevels first_levels_;
  Random random_;
  std::int64_t num_draws_ = 0;
  std::int64_t num_episodes_ = 0;
  std::vector<double> progress_;     // [level]
  std::vector<Window> windows_;      // [level]
  ReplayDistribution distribution_;  // over |Q|; slot k is the k-th level
};

}  // namespace plr

// TSCL-Window, a baseline of the paper (Matiisen et al. 2017): draws levels by learning progress.
//
// For each level it keeps the last returns with their times. The slope of the least-squares line
// through them, optionally smoothed, is the level's progress Q. next() prefers large |Q|, since
// forgetting counts like learning, by epsilon-greedy or Boltzmann, mixed with staleness like in
// level_replay.h:
//
//   (1 - staleness_coef) * P_progress  +  staleness_coef * P_staleness
//
//   Tscl tscl(LevelSet::range(0, 200), {.window = 10}, streams.named("levels"));
//   const LevelId level = tscl.next();
//   ...  // play an episode
//   tscl.record({.level = level, .episode_return = 10});
//
// All levels can be drawn from the start; a level that was never played has Q = 0. The time of a
// return is the number of episodes that ended before it, so times are distinct.
//
// next() takes O(log levels), record() O(log levels + window). The window of a level allocates
// until it is full. Copyable; a copy continues the same random stream. Not thread-safe.
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

// A return and its time.
struct TimedReturn {
  std::int64_t time = 0;
  double value = 0;
};

// The slope of the least-squares line through the points: `first_slope` for one point, 0 for none.
// REQUIRES: times are distinct.
double least_squares_slope(std::span<const TimedReturn> points, double first_slope = 0);

class Tscl final : public Curriculum {
 public:
  // Throws std::invalid_argument if a setting is out of bounds or the levels are a stream.
  Tscl(LevelSet levels, const TsclConfig& config, const Random& random,
       const StartConfig& start = {});

  std::vector<LevelId> first(std::size_t num_slots) override;
  LevelId next() override;

  // Marks `level` as drawn, like next() does.
  void choose(LevelId level);

  // Ignores pieces of open episodes, which have no return.
  void record(const EpisodeResult& result) override;

  const LevelSet& levels() const { return levels_; }
  const TsclConfig& config() const { return config_; }
  const StartConfig& start() const { return start_; }
  // The progress Q of a level, with its sign.
  double progress(LevelId level) const;
  // The number of draws.
  std::int64_t num_draws() const { return num_draws_; }

  // All levels, in the order of the set; the score is |Q|.
  std::vector<LevelWeight> weights() const override;

  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  using Slot = ReplayDistribution::Slot;

  // The last returns of a level, as a ring buffer: once full, `oldest` is replaced next.
  struct Window {
    std::vector<TimedReturn> points;
    std::size_t oldest = 0;
  };

  std::size_t index_of(LevelId level) const;

  LevelSet levels_;
  TsclConfig config_;
  StartConfig start_;
  Random random_;
  std::int64_t num_draws_ = 0;
  std::int64_t num_episodes_ = 0;
  std::vector<double> progress_;     // [level]
  std::vector<Window> windows_;      // [level]
  ReplayDistribution distribution_;  // over |Q|; slot k is the k-th level
};

}  // namespace plr

// Prioritized Level Replay without data structures, as a reference for tests and benchmarks.
//
// The definitions of plr/core/level_replay.h, written down directly: every query sorts and sums
// over all levels, in O(levels log levels). Does not handle overflow. Copyable. Not thread-safe.
// REQUIRES: scores are moderate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level_replay_config.h"

namespace plr::testing {

class NaiveReplay {
 public:
  struct Seen {
    LevelId level;
    bool is_scored;
    double score;
    std::int64_t timestamp;
  };

  // The ids 0..num_levels-1, or a stream.
  NaiveReplay(const LevelReplayConfig& config, std::size_t num_levels, bool is_stream)
      : config_(config), num_levels_(num_levels), is_stream_(is_stream) {}

  const std::vector<Seen>& seen() const { return seen_; }
  std::int64_t num_draws() const { return num_draws_; }

  double replay_probability() const {
    const double all = static_cast<double>(is_stream_ ? config_.buffer_size : num_levels_);
    const double share = static_cast<double>(seen_.size()) / all;
    if (seen_.empty() && (is_stream_ || !config_.replay_unseen)) return 0;
    if (!is_stream_ && seen_.size() == num_levels_) return 1;
    if (share < config_.warmup_fraction) return 0;
    if (is_stream_ || config_.schedule == ReplaySchedule::kFixed) return config_.replay_probability;
    return share;
  }

  // P_replay of the next draw, for every entry of seen().
  std::vector<double> probabilities() const {
    std::vector<double> by_score = normalized(score_weights());
    std::vector<double> stale;
    for (const Seen& s : seen_) {
      stale.push_back(static_cast<double>(num_draws_ + config_.staleness_offset - s.timestamp));
    }
    const std::vector<double> by_staleness = normalized(stale);
    for (std::size_t i = 0; i < by_score.size(); ++i) {
      by_score[i] =
          (1 - config_.staleness_coef) * by_score[i] + config_.staleness_coef * by_staleness[i];
    }
    return by_score;
  }

  // For finite sets: draws by inverting the cumulative distribution.
  LevelId next(Random& random) {
    LevelId level = 0;
    if (random.uniform() < replay_probability()) {
      const std::vector<double> p = probabilities();
      double target = random.uniform();
      std::size_t i = 0;
      while (i + 1 < p.size() && target >= p[i]) target -= p[i++];
      level = seen_[i].level;
    } else {
      std::vector<LevelId> unseen;
      for (LevelId id = 0; id < num_levels_; ++id) {
        if (find(id) == nullptr) unseen.push_back(id);
      }
      level = unseen[random.below(unseen.size())];
    }
    choose(level);
    return level;
  }

  // For finite sets: draws and scores every level once, in the order of the ids.
  template <class Score>
  void see_all(Score score) {
    for (LevelId level = 0; level < num_levels_; ++level) {
      seen_.push_back({level, true, score(), ++num_draws_});
    }
  }

  // Sets the first levels, which count as draws only with FirstLevels::kDrawn.
  void begin(const std::vector<LevelId>& first) {
    for (const LevelId level : first) {
      if (config_.start.first_levels == FirstLevels::kDrawn) {
        choose(level);
      } else {
        stamp(level, 0);
      }
    }
  }

  void choose(LevelId level) { stamp(level, ++num_draws_); }

  void record(LevelId level, double score) {
    if (Seen* s = find(level)) {
      s->score = (1 - config_.smoothing) * s->score + config_.smoothing * score;
      s->is_scored = true;
      return;
    }
    if (!drawn_at_.contains(level)) return;  // dropped meanwhile
    const std::int64_t timestamp = drawn_at_[level];
    if (is_stream_) drawn_at_.erase(level);
    if (!is_stream_) {
      seen_.push_back({level, true, config_.smoothing * score, timestamp});
    } else if (seen_.size() < config_.buffer_size) {
      seen_.push_back({level, true, score, timestamp});
    } else {
      replace_least(level, score, timestamp);
    }
  }

 private:
  void stamp(LevelId level, std::int64_t timestamp) {
    if (Seen* s = find(level)) {
      s->timestamp = timestamp;
    } else if (!is_stream_ && config_.seen_on == SeenOn::kSample) {
      seen_.push_back({level, false, 0.0, timestamp});
    } else {
      drawn_at_[level] = timestamp;
    }
  }

  Seen* find(LevelId level) {
    for (Seen& s : seen_) {
      if (s.level == level) return &s;
    }
    return nullptr;
  }

  void replace_least(LevelId level, double score, std::int64_t timestamp) {
    std::vector<double> key = probabilities();
    if (config_.eviction == Eviction::kScore) {
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = seen_[i].score;
    }
    Seen& least = seen_[std::min_element(key.begin(), key.end()) - key.begin()];
    if (least.score < score || (config_.evict_on_tie && least.score == score)) {
      least = {level, true, score, timestamp};
    }
  }

  static std::vector<double> normalized(std::vector<double> weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
    return weights;
  }

  std::vector<double> score_weights() const {
    std::vector<double> weights(seen_.size(), 0.0);
    std::vector<std::size_t> scored;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].is_scored) scored.push_back(i);
    }
    if (scored.empty()) return weights;
    std::stable_sort(scored.begin(), scored.end(),
                     [&](auto a, auto b) { return seen_[a].score > seen_[b].score; });
    const double best = seen_[scored[0]].score;
    const auto is_best = [&](std::size_t i) { return seen_[i].score == best; };
    const auto ties = static_cast<double>(std::count_if(scored.begin(), scored.end(), is_best));
    const double num_scored = static_cast<double>(scored.size());
    const double all = static_cast<double>(is_stream_ ? config_.buffer_size : num_levels_);
    const double unscored = all - num_scored;
    const double beta = config_.temperature;
    const double offset = config_.staleness_coef == 0 ? config_.proportional_offset : 0;

    double rank = 0;
    for (const std::size_t i : scored) {
      const double s = seen_[i].score;
      ++rank;
      switch (config_.transform) {
        case Transform::kRank:
          weights[i] = std::pow(rank + (config_.unseen_compete && s < 0 ? unscored : 0), -1 / beta);
          break;
        case Transform::kProportional:
          weights[i] = std::pow((config_.clip_negative ? std::max(s, 0.0) : s) + offset, 1 / beta);
          if (!(weights[i] > 0)) weights[i] = 0;
          break;
        case Transform::kSoftmax:
          weights[i] = std::exp((s - best) / beta);
          break;
        case Transform::kGreedy:
          weights[i] = is_best(i) ? 1 : 0;
          break;
        case Transform::kEpsilonGreedy: {
          const bool unseen_is_best = config_.unseen_compete && unscored > 0 && best <= 0;
          if (is_best(i) && !unseen_is_best) weights[i] = (1 - config_.epsilon) / ties;
          break;
        }
        case Transform::kConstant:
          weights[i] = 1;
      }
    }
    if (config_.transform == Transform::kEpsilonGreedy) {
      const double spread = config_.unseen_compete ? all : static_cast<double>(seen_.size());
      for (double& w : weights) w += config_.epsilon / spread;
    }
    return weights;
  }

  LevelReplayConfig config_;
  std::size_t num_levels_;
  bool is_stream_;
  std::int64_t num_draws_ = 0;
  std::vector<Seen> seen_;
  std::map<LevelId, std::int64_t> drawn_at_;
};

}  // namespace plr::testing

// The level buffer without data structures, as a reference for tests and benchmarks.
//
// The definitions of plr/core/level_buffer.h, written down directly: every query sorts and sums
// over all slots, in O(slots log slots). Copyable. Not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/core/level_buffer_config.h"

namespace plr::testing {

class NaiveBuffer {
 public:
  struct Entry {
    LevelId level;
    double score;
    double best_return;
    std::int64_t timestamp;
  };

  explicit NaiveBuffer(const LevelBufferConfig& config) : config_(config) {}

  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t clock() const { return clock_; }

  std::vector<double> weights() const {
    const std::vector<double> by_score = normalized(score_weights());
    std::vector<double> stale;
    for (const Entry& e : entries_) stale.push_back(static_cast<double>(clock_ - e.timestamp));
    std::vector<double> weights = normalized(stale);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = (1 - config_.staleness_coef) * by_score[i] + config_.staleness_coef * weights[i];
    }
    return weights;
  }

  std::optional<std::size_t> insert(LevelId level, double score, double best_return) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.level == level; });
    if (config_.duplicate_check && found != entries_.end()) {
      const auto slot = static_cast<std::size_t>(found - entries_.begin());
      update(slot, score, best_return);
      choose(slot);
      return slot;
    }
    std::size_t slot = entries_.size();
    double lowest = kUnmeasuredScore;
    if (slot == config_.capacity) {
      const std::vector<double> all = weights();
      slot = static_cast<std::size_t>(std::min_element(all.begin(), all.end()) - all.begin());
      lowest = entries_[slot].score;
    }
    ++clock_;
    if (!(score > lowest)) return std::nullopt;
    if (slot == entries_.size()) entries_.emplace_back();
    entries_[slot] = {level, score, best_return, clock_};
    return slot;
  }

  void choose(std::size_t slot) { entries_[slot].timestamp = ++clock_; }

  void update(std::size_t slot, double score, double best_return) {
    if (score != kUnmeasuredScore || !config_.keep_unmeasured) entries_[slot].score = score;
    entries_[slot].best_return = best_return;
  }

 private:
  static std::vector<double> normalized(std::vector<double> weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
    return weights;
  }

  std::vector<double> score_weights() const {
    std::vector<std::size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return entries_[a].score > entries_[b].score;
    });
    std::vector<double> weights(entries_.size(), 0.0);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      if (config_.prioritization == Prioritization::kRank) {
        weights[order[rank]] = std::pow(static_cast<double>(rank + 1), -1 / config_.temperature);
      } else if (rank < config_.topk) {
        weights[order[rank]] = std::exp(entries_[order[rank]].score);
      }
    }
    // Where all scores are unmeasured, the topk slots are equal.
    if (!order.empty() && entries_[order[0]].score == kUnmeasuredScore &&
        config_.prioritization == Prioritization::kTopk) {
      for (std::size_t rank = 0; rank < std::min<std::size_t>(config_.topk, order.size()); ++rank) {
        weights[order[rank]] = 1;
      }
    }
    return weights;
  }

  LevelBufferConfig config_;
  std::int64_t clock_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace plr::testing

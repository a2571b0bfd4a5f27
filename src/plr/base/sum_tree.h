// A tree of sums: draws an index in proportion to its value while the values change.
//
//   SumTree<double> tree(1000);
//   tree.set(3, 0.5);
//   const std::size_t index = tree.draw(random, [](double sum, auto, auto) { return sum; });
//
// Each node holds the sum of its eight children, which are one cache line. set() recomputes the
// sums of eight siblings on the path to the root, so rounding errors do not accumulate: the tree
// depends on its present values only, not on their history.
//
// The weight of a node may be any function of (sum, first index, number of indices) that is
// additive over disjoint nodes; with the sum of timestamps, count * now - sum weights a node by
// staleness. set() and draw() take O(log n) and do not allocate. Copyable. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "plr/base/random.h"

namespace plr {

template <class Value>
class SumTree {
 public:
  // `capacity` values, all 0.
  explicit SumTree(std::size_t capacity) : capacity_(capacity) {
    std::size_t width = capacity;
    do {
      width = std::max<std::size_t>((width + kArity - 1) / kArity, 1);  // nodes of this level
      levels_.emplace_back(width * kArity, Value{});
    } while (width > 1);
  }

  const Value& operator[](std::size_t index) const { return levels_[0][index]; }

  Value sum() const { return sum_of_eight(levels_.back(), 0); }

  void set(std::size_t index, const Value& value) {
    assert(index < capacity_);
    levels_[0][index] = value;
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      index /= kArity;
      levels_[level][index] = sum_of_eight(levels_[level - 1], index * kArity);
    }
  }

  // Sets the values 0..count-1 to value_at(index) and the others to 0, in O(capacity).
  template <class ValueAt>
  void assign(std::size_t count, ValueAt value_at) {
    for (std::size_t i = 0; i < levels_[0].size(); ++i) {
      levels_[0][i] = i < count ? value_at(i) : Value{};
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      for (std::size_t i = 0; i * kArity < levels_[level - 1].size(); ++i) {
        levels_[level][i] = sum_of_eight(levels_[level - 1], i * kArity);
      }
    }
  }

  // Returns an index with probability proportional to weigh(its value, index, 1). Uses one random
  // number per level of the tree, so that no precision is lost. REQUIRES: a weight is positive.
  template <class Weigh>
  std::size_t draw(Random& random, Weigh weigh) const {
    using Weight = std::invoke_result_t<Weigh, Value, std::size_t, std::size_t>;
    std::size_t span = 1;  // indices under one node of the level
    for (std::size_t level = 1; level < levels_.size(); ++level) span *= kArity;
    std::size_t node = 0;
    for (std::size_t level = levels_.size(); level-- > 0; span /= kArity) {
      std::array<Weight, kArity> weights;
      for (std::size_t i = 0; i < kArity; ++i) {
        const std::size_t child = node * kArity + i;
        weights[i] = weigh(levels_[level][child], child * span, span);
      }
      node = node * kArity + pick(random, weights);
    }
    return node;
  }

 private:
  static constexpr std::size_t kArity = 8;

  static Value sum_of_eight(const std::vector<Value>& values, std::size_t first) {
    const Value* v = values.data() + first;
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  }

  template <class Weight>
  static std::size_t pick(Random& random, const std::array<Weight, kArity>& weights) {
    Weight total{};
    for (const Weight w : weights) total += w;
    assert(total > 0);
    Weight target;
    if constexpr (std::is_integral_v<Weight>) {
      target = random.below(total);
    } else {
      target = random.uniform() * total;
    }
    // If rounding moves the target past the end, the last positive weight is chosen.
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < kArity; ++i) {
      if (weights[i] <= 0) continue;
      chosen = i;
      if (target < weights[i]) break;
      target -= weights[i];
    }
    return chosen;
  }

  std::size_t capacity_;
  std::vector<std::vector<Value>>
      levels_;  // the values first, the root last; each padded to whole nodes
};

}  // namespace plr

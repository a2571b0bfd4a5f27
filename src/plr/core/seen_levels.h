// The levels of a finite set that have been seen, in the order in which they became so.
//
// A permutation of the indices 0..count-1 whose first size() entries are the seen levels; the
// position of a level there is its slot. add() is one swap, and an unseen level is drawn from the
// positions after the seen ones. O(1) per operation, does not allocate.
//
// Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plr/base/random.h"

namespace plr {

class SeenLevels {
 public:
  explicit SeenLevels(std::size_t count) : order_(count), position_(count) {
    std::iota(order_.begin(), order_.end(), 0U);
    position_ = order_;
  }

  std::size_t size() const { return size_; }
  std::size_t num_unseen() const { return order_.size() - size_; }

  // The slot of a level; nothing if it is unseen.
  std::optional<std::uint32_t> slot_of(std::size_t index) const {
    if (position_[index] >= size_) return std::nullopt;
    return position_[index];
  }
  // The level in a slot. REQUIRES: slot < size().
  std::uint32_t index_at(std::size_t slot) const { return order_[slot]; }

  // An unseen level, each equally likely. REQUIRES: num_unseen() > 0.
  std::uint32_t draw_unseen(Random& random) const {
    return order_[size_ + random.below(num_unseen())];
  }

  // Gives a level the next slot. REQUIRES: it is unseen.
  void add(std::size_t index) {
    const std::uint32_t from = position_[index];
    std::swap(order_[from], order_[size_]);
    position_[order_[from]] = from;
    position_[order_[size_]] = static_cast<std::uint32_t>(size_);
    ++size_;
  }

  // The permutation; restore() returns false and changes nothing if `order` is not one.
  std::span<const std::uint32_t> order() const { return order_; }
  bool restore(std::span<const std::uint32_t> order, std::size_t size) {
    if (order.size() != order_.size() || size > order.size()) return false;
    std::vector<std::uint32_t> position(order.size(), static_cast<std::uint32_t>(order.size()));
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      if (order[i] >= order.size() || position[order[i]] != order.size()) return false;
      position[order[i]] = i;
    }
    order_.assign(order.begin(), order.end());
    position_ = std::move(position);
    size_ = size;
    return true;
  }

 private:
  std::vector<std::uint32_t> order_;     // [position]: level
  std::vector<std::uint32_t> position_;  // [level]: position
  std::size_t size_ = 0;
};

}  // namespace plr

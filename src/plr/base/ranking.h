// An ordered set of (score, slot), highest score first and, for equal scores, lowest slot first.
//
//   Ranking ranking(1000);
//   ranking.insert(7, 0.5);
//   ranking.slot_at(0);               // 7: the best
//   ranking.count_before(0.3, 0);     // 1: number of entries before (0.3, slot 0)
//
// A counted B+ tree: every inner node has the number of entries below each child, so that the slot
// of a rank and the rank of a slot take O(log n). With 64 entries per node, a million entries are
// four nodes deep. Allocates in the constructor only; a copy allocates as it
// grows. Copyable. Not thread-safe.
// REQUIRES: scores are not NaN.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plr {

class Ranking {
 public:
  using Slot = std::uint32_t;

  // Holds up to `capacity` entries.
  explicit Ranking(std::size_t capacity);

  std::size_t size() const { return size_; }

  // REQUIRES: the set does not have the pair.
  void insert(Slot slot, double score);
  // REQUIRES: the set has the pair.
  void erase(Slot slot, double score);

  // The entry with `rank` entries before it. REQUIRES: rank < size().
  Slot slot_at(std::size_t rank) const;

  // The number of entries before (score, slot), which need not be in the set.
  std::size_t count_before(double score, Slot slot) const;

  // Calls visit(slot) for every entry, best first.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_below(root_, height_, visit);
  }

 private:
  static constexpr std::uint32_t kFanout = 64;

  // A leaf holds entries; an inner node holds children, each with the number of entries below it
  // and a key that is not after any of them. The key of the first child is not used: it holds all
  // entries before the second child's key.
  struct Leaf {
    std::uint32_t size = 0;
    std::array<double, kFanout> score;
    std::array<Slot, kFanout> slot;
  };
  struct Inner : Leaf {
    std::array<std::uint32_t, kFanout> child;
    std::array<std::uint32_t, kFanout> count;
  };

  // Nodes of one type, reused after release.
  template <class Node>
  struct Pool {
    std::vector<Node> nodes;
    std::vector<std::uint32_t> free;

    std::uint32_t take();
    void release(std::uint32_t index) { free.push_back(index); }
  };

  // The path from the root to a leaf: inner nodes and the position of the child in each.
  struct Step {
    std::uint32_t node;
    std::uint32_t position;
  };
  static constexpr std::size_t kMaxHeight = 12;

  // Returns the leaf of (score, slot) and adds `change` to every count on the path.
  std::uint32_t descend(double score, Slot slot, std::int32_t change,
                        std::array<Step, kMaxHeight>& path);
  template <class Node>
  std::uint32_t split(Pool<Node>& pool, std::uint32_t index);
  template <class Node>
  bool merge_children(Pool<Node>& pool, Inner& parent, std::uint32_t position);
  void insert_child(Inner& parent, std::uint32_t position, std::uint32_t child, bool is_leaf);
  std::uint32_t entries_below(std::uint32_t node, bool is_leaf) const;

  template <class Visit>
  void for_each_below(std::uint32_t node, std::uint32_t height, Visit& visit) const {
    if (height == 0) {
      const Leaf& leaf = leaves_.nodes[node];
      for (std::uint32_t i = 0; i < leaf.size; ++i) visit(leaf.slot[i]);
      return;
    }
    const Inner& inner = inners_.nodes[node];
    for (std::uint32_t i = 0; i < inner.size; ++i)
      for_each_below(inner.child[i], height - 1, visit);
  }

  Pool<Leaf> leaves_;
  Pool<Inner> inners_;
  std::uint32_t root_ = 0;    // a leaf if height_ is 0
  std::uint32_t height_ = 0;  // inner nodes above a leaf
  std::size_t size_ = 0;
};

}  // namespace plr

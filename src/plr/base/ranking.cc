#include "plr/base/ranking.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace plr {
namespace {

// Two neighbors are merged when they fill at most half of a node.
constexpr std::uint32_t kMergeAt = 32;

bool is_before(double score, Ranking::Slot slot, double other_score, Ranking::Slot other_slot) {
  return score > other_score || (score == other_score && slot < other_slot);
}

// The number of keys of the node, starting at `first`, that are not after (score, slot).
template <class Node>
std::uint32_t keys_up_to(const Node& node, std::uint32_t first, double score, Ranking::Slot slot) {
  std::uint32_t low = first;
  std::uint32_t remaining = node.size - first;
  while (remaining > 0) {
    const std::uint32_t half = remaining / 2;
    const std::uint32_t middle = low + half;
    const bool is_after = is_before(score, slot, node.score[middle], node.slot[middle]);
    low = is_after ? low : middle + 1;
    remaining = is_after ? half : remaining - half - 1;
  }
  return low;
}

// Calls move(array of from, array of to) for each array of the node.
template <class Leaf, class Move>
requires(!requires(Leaf leaf) { leaf.child; }) void for_arrays(Leaf& from, Leaf& to, Move move) {
  move(from.score, to.score);
  move(from.slot, to.slot);
}
template <class Inner, class Move>
requires(requires(Inner inner) { inner.child; }) void for_arrays(Inner& from, Inner& to,
                                                                 Move move) {
  move(from.score, to.score);
  move(from.slot, to.slot);
  move(from.child, to.child);
  move(from.count, to.count);
}

// Makes room for one item at `position`.
template <class Node>
void open_gap(Node& node, std::uint32_t position) {
  for_arrays(node, node, [&](auto& items, auto&) {
    std::copy_backward(items.begin() + position, items.begin() + node.size,
                       items.begin() + node.size + 1);
  });
  ++node.size;
}

template <class Node>
void close_gap(Node& node, std::uint32_t position) {
  for_arrays(node, node, [&](auto& items, auto&) {
    std::copy(items.begin() + position + 1, items.begin() + node.size, items.begin() + position);
  });
  --node.size;
}

// Moves the items starting at `first` to the end of another node.
template <class Node>
void move_tail(Node& from, std::uint32_t first, Node& to) {
  for_arrays(from, to, [&](auto& source, auto& target) {
    std::copy(source.begin() + first, source.begin() + from.size, target.begin() + to.size);
  });
  to.size += from.size - first;
  from.size = first;
}

}  // namespace

template <class Node>
std::uint32_t Ranking::Pool<Node>::take() {
  if (free.empty()) {
    nodes.emplace_back();
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  const std::uint32_t index = free.back();
  free.pop_back();
  nodes[index].size = 0;
  return index;
}

Ranking::Ranking(std::size_t capacity) {
  // Two neighbors of one parent hold more than kMergeAt items together, so fewer than
  // 2 * items / kMergeAt + 2 nodes are needed; the level above has at most 1/16 of that.
  const std::size_t leaves = 2 * capacity / kMergeAt + 2;
  const std::size_t inners = 2 * leaves / (kMergeAt - 2) + kMaxHeight;
  leaves_.nodes.reserve(leaves);
  leaves_.free.reserve(leaves);
  inners_.nodes.reserve(inners);
  inners_.free.reserve(inners);
  root_ = leaves_.take();
}

void Ranking::insert(Slot slot, double score) {
  std::array<Step, kMaxHeight> path;
  const std::uint32_t index = descend(score, slot, +1, path);
  Leaf& leaf = leaves_.nodes[index];
  const std::uint32_t position = keys_up_to(leaf, 0, score, slot);
  open_gap(leaf, position);
  leaf.score[position] = score;
  leaf.slot[position] = slot;
  ++size_;

  // A full node is split, which may fill its parent, and so on up to the root.
  std::uint32_t full = index;
  for (std::uint32_t above = 0; above <= height_; ++above) {
    const bool is_leaf = above == 0;
    if ((is_leaf ? leaves_.nodes[full].size : inners_.nodes[full].size) < kFanout) return;
    const std::uint32_t right = is_leaf ? split(leaves_, full) : split(inners_, full);
    if (above == height_) {  // the root was split: a new root holds the halves
      const std::uint32_t top = inners_.take();
      insert_child(inners_.nodes[top], 0, full, is_leaf);
      insert_child(inners_.nodes[top], 1, right, is_leaf);
      root_ = top;
      ++height_;
      return;
    }
    const Step& step = path[height_ - 1 - above];
    Inner& parent = inners_.nodes[step.node];
    insert_child(parent, step.position + 1, right, is_leaf);
    parent.count[step.position] -= parent.count[step.position + 1];
    full = step.node;
  }
}

void Ranking::erase(Slot slot, double score) {
  std::array<Step, kMaxHeight> path;
  Leaf& leaf = leaves_.nodes[descend(score, slot, -1, path)];
  const std::uint32_t position = keys_up_to(leaf, 0, score, slot) - 1;
  assert(position < leaf.size && leaf.slot[position] == slot && leaf.score[position] == score);
  close_gap(leaf, position);
  --size_;

  // A small node is merged with a neighbor, which may make its parent small, and so on.
  for (std::uint32_t above = 0; above < height_; ++above) {
    const Step& step = path[height_ - 1 - above];
    Inner& parent = inners_.nodes[step.node];
    const bool merged = above == 0 ? merge_children(leaves_, parent, step.position)
                                   : merge_children(inners_, parent, step.position);
    if (!merged) return;
  }
  while (height_ > 0 && inners_.nodes[root_].size == 1) {
    inners_.release(root_);
    root_ = inners_.nodes[root_].child[0];
    --height_;
  }
}

Ranking::Slot Ranking::slot_at(std::size_t rank) const {
  assert(rank < size_);
  std::uint32_t node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    const Inner& inner = inners_.nodes[node];
    std::uint32_t i = 0;
    while (rank >= inner.count[i]) rank -= inner.count[i++];
    node = inner.child[i];
  }
  return leaves_.nodes[node].slot[rank];
}

std::size_t Ranking::count_before(double score, Slot slot) const {
  std::size_t before = 0;
  std::uint32_t node = root_;
  for (std::uint32_t height = height_; height > 0; --height) {
    const Inner& inner = inners_.nodes[node];
    const std::uint32_t position = keys_up_to(inner, 1, score, slot) - 1;
    before += std::accumulate(inner.count.begin(), inner.count.begin() + position, std::size_t{0});
    node = inner.child[position];
  }
  const Leaf& leaf = leaves_.nodes[node];
  const std::uint32_t up_to = keys_up_to(leaf, 0, score, slot);
  const bool is_there = up_to > 0 && leaf.score[up_to - 1] == score && leaf.slot[up_to - 1] == slot;
  return before + up_to - (is_there ? 1 : 0);
}

std::uint32_t Ranking::descend(double score, Slot slot, std::int32_t change,
                               std::array<Step, kMaxHeight>& path) {
  std::uint32_t node = root_;
  for (std::uint32_t i = 0; i < height_; ++i) {
    Inner& inner = inners_.nodes[node];
    const std::uint32_t position = keys_up_to(inner, 1, score, slot) - 1;
    inner.count[position] += static_cast<std::uint32_t>(change);
    path[i] = {node, position};
    node = inner.child[position];
  }
  return node;
}

// Moves the upper half of a node to a new node and returns it.
template <class Node>
std::uint32_t Ranking::split(Pool<Node>& pool, std::uint32_t index) {
  const std::uint32_t right = pool.take();
  move_tail(pool.nodes[index], kFanout / 2, pool.nodes[right]);
  return right;
}

// Merges the child at `position` with a neighbor if both fit into half a node.
template <class Node>
bool Ranking::merge_children(Pool<Node>& pool, Inner& parent, std::uint32_t position) {
  for (const std::uint32_t left : {position - 1, position}) {
    if (left >= parent.size || left + 1 >= parent.size) continue;
    Node& into = pool.nodes[parent.child[left]];
    Node& from = pool.nodes[parent.child[left + 1]];
    if (into.size + from.size > kMergeAt) continue;
    move_tail(from, 0, into);
    pool.release(parent.child[left + 1]);
    parent.count[left] += parent.count[left + 1];
    close_gap(parent, left + 1);
    return true;
  }
  return false;
}

// Inserts a child into `parent` at `position`, with its first key.
void Ranking::insert_child(Inner& parent, std::uint32_t position, std::uint32_t child,
                           bool is_leaf) {
  const Leaf& node = is_leaf ? leaves_.nodes[child] : inners_.nodes[child];
  open_gap(parent, position);
  parent.score[position] = node.score[0];
  parent.slot[position] = node.slot[0];
  parent.child[position] = child;
  parent.count[position] = entries_below(child, is_leaf);
}

std::uint32_t Ranking::entries_below(std::uint32_t node, bool is_leaf) const {
  if (is_leaf) return leaves_.nodes[node].size;
  const Inner& inner = inners_.nodes[node];
  return std::accumulate(inner.count.begin(), inner.count.begin() + inner.size, 0U);
}

}  // namespace plr

// A hash map from 64-bit ids to 64-bit values in one flat array.
//
//   IdMap slots;
//   slots.insert(id, 7);
//   if (const auto slot = slots.find(id)) ...
//
// Linear probing, at most half full. An erase moves the following entries up, so there are no
// tombstones. O(1) expected; allocates only to grow, unlike std::unordered_map, which allocates at
// every insert. Copyable. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plr {

class IdMap {
 public:
  std::size_t size() const { return size_; }

  // Allocates space for `count` ids.
  void reserve(std::size_t count) {
    std::size_t cells = 16;
    while (cells < 2 * count) cells *= 2;
    if (cells > cells_.size()) rehash(cells);
  }

  std::optional<std::uint64_t> find(std::uint64_t id) const {
    if (cells_.empty()) return std::nullopt;
    const Cell& cell = cells_[locate(id)];
    if (!cell.used) return std::nullopt;
    return cell.value;
  }

  // Returns false and changes nothing if the map has the id.
  bool insert(std::uint64_t id, std::uint64_t value) {
    reserve(size_ + 1);
    Cell& cell = cells_[locate(id)];
    if (cell.used) return false;
    cell = {id, value, true};
    ++size_;
    return true;
  }

  // Returns false if the map does not have the id.
  bool erase(std::uint64_t id) {
    if (cells_.empty()) return false;
    std::size_t gap = locate(id);
    if (!cells_[gap].used) return false;
    // An entry of the run behind the gap moves into it if its home is at or before the gap.
    for (std::size_t i = next(gap); cells_[i].used; i = next(i)) {
      const std::size_t from_home = (i - home(cells_[i].id)) & mask();
      if (from_home >= ((i - gap) & mask())) {
        cells_[gap] = cells_[i];
        gap = i;
      }
    }
    cells_[gap].used = false;
    --size_;
    return true;
  }

  // All (id, value) pairs by increasing id.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> items;
    for (const Cell& cell : cells_) {
      if (cell.used) items.emplace_back(cell.id, cell.value);
    }
    std::sort(items.begin(), items.end());
    return items;
  }

 private:
  struct Cell {
    std::uint64_t id = 0;
    std::uint64_t value = 0;
    bool used = false;
  };

  std::size_t mask() const { return cells_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }

  // The finalizer of SplitMix64 spreads ids, which are often consecutive.
  std::size_t home(std::uint64_t id) const {
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9U;
    id = (id ^ (id >> 27)) * 0x94d049bb133111ebU;
    return (id ^ (id >> 31)) & mask();
  }

  // The cell of the id, or the free cell where insert() puts it.
  std::size_t locate(std::uint64_t id) const {
    std::size_t i = home(id);
    while (cells_[i].used && cells_[i].id != id) i = next(i);
    return i;
  }

  void rehash(std::size_t cells) {
    std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(cells));
    for (const Cell& cell : old) {
      if (cell.used) cells_[locate(cell.id)] = cell;
    }
  }

  std::vector<Cell> cells_;  // their number is a power of two or 0
  std::size_t size_ = 0;
};

}  // namespace plr

// The maze written as its definition reads, one cell at a time, for comparison in tests.
//
// Copyable.  Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plr/maze/level.h"
#include "plr/maze/text_form.h"

namespace plr::maze {

class NaiveMaze {
 public:
  NaiveMaze(const Level& level, int max_steps) : max_steps_(max_steps) {
    std::string row;
    for (const char c : draw(level)) {
      if (c != '\n') {
        row += c;
        continue;
      }
      rows_.push_back(row);
      row.clear();
    }
    for (std::size_t y = 0; y < rows_.size(); ++y) {
      for (std::size_t x = 0; x < rows_[y].size(); ++x) {
        const auto direction = std::string(">v<^").find(rows_[y][x]);
        if (direction == std::string::npos) continue;
        x_ = static_cast<int>(x);
        y_ = static_cast<int>(y);
        direction_ = static_cast<int>(direction);
        rows_[y][x] = '.';
      }
    }
  }

  // Returns whether the goal was reached.
  bool step(int action) {
    bool reached = false;
    if (action == 2) {
      const int x =
          std::clamp(x_ + kForwardX[direction_], 0, static_cast<int>(rows_[0].size()) - 1);
      const int y = std::clamp(y_ + kForwardY[direction_], 0, static_cast<int>(rows_.size()) - 1);
      reached = cell(x, y) == 'G';
      if (cell(x, y) == '.') {
        x_ = x;
        y_ = y;
      }
    }
    if (action == 0) direction_ = (direction_ + 3) % 4;
    if (action == 1) direction_ = (direction_ + 1) % 4;
    ++time_;
    return reached;
  }
  bool is_out_of_time() const { return time_ >= max_steps_; }

  // [side, side, 4]
  std::vector<std::uint8_t> view(int side) const {
    std::vector<std::uint8_t> image;
    const int fx = kForwardX[direction_];
    const int fy = kForwardY[direction_];
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const char c = cell(x_ + fx * (side - 1 - j) - fy * (i - side / 2),
                            y_ + fy * (side - 1 - j) + fx * (i - side / 2));
        const std::array<int, 3> code = c == '#'   ? std::array{2, 5, 0}
                                        : c == 'G' ? std::array{8, 1, 0}
                                                   : std::array{1, 0, 0};
        for (const int byte : code) image.push_back(static_cast<std::uint8_t>(byte));
        image.push_back(static_cast<std::uint8_t>(direction_));
      }
    }
    return image;
  }

 private:
  static constexpr int kForwardX[4] = {1, 0, -1, 0};
  static constexpr int kForwardY[4] = {0, 1, 0, -1};

  char cell(int x, int y) const {
    const bool is_inside = y >= 0 && y < static_cast<int>(rows_.size()) && x >= 0 &&
                           x < static_cast<int>(rows_[0].size());
    return is_inside ? rows_[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] : '#';
  }

  std::vector<std::string> rows_;  // '#', '.', 'G'
  int x_ = 0;
  int y_ = 0;
  int direction_ = 0;
  int time_ = 0;
  int max_steps_;
};

}  // namespace plr::maze

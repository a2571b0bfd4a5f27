// Mean return, success rate and mean length of the last 100 episodes.
//
//   EpisodeWindow window;
//   window.add(0.7, 12, true);
//   window.mean_return();
//
// An episode is a success if it solves its level. All operations take O(100) time.
// Copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/base/bytes.h"

namespace plr::collect {

class EpisodeWindow {
 public:
  void add(double episode_return, std::int64_t length, bool is_solved);

  std::uint64_t num_episodes() const { return num_episodes_; }  // since the run began
  bool empty() const { return episodes_.empty(); }
  // Over the window; 0 if it is empty.
  double mean_return() const;
  double success_rate() const;
  double mean_length() const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr std::size_t kSize = 100;
  struct Episode {
    double episode_return = 0;
    std::int64_t length = 0;
    bool is_solved = false;
  };

  template <class Quantity>
  double mean(Quantity quantity) const;

  std::vector<Episode> episodes_;  // oldest first
  std::uint64_t num_episodes_ = 0;
};

}  // namespace plr::collect

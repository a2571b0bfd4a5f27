// How have the latest episodes gone?
//
// The mean return, success and length of the last 100 episodes.  An episode succeeds if it solves
// its level.  A value type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "plr/base/bytes.h"

namespace plr::train {

class EpisodeWindow {
 public:
  void add(double episode_return, std::int64_t length, bool is_solved);

  std::uint64_t num_episodes() const { return num_episodes_; }  // since the run's beginning
  bool empty() const { return episodes_.empty(); }
  // Of the window; 0 if it is empty.
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

  std::deque<Episode> episodes_;
  std::uint64_t num_episodes_ = 0;
};

}  // namespace plr::train

// Plays Procgen's library without our environment: the reference of `plr bench procgen`.
//
//   LibraryPlay play(variant, {0, 64}, procgen::Library::installed());
//   for (int i = 0; i < 1000; ++i) play.step();
//
// Slot i repeats level i, in an environment of the library that was made for this level. RepeatPlay
// plays the same episodes, so that the difference is the cost of our code.
//
// Movable, not copyable. Not thread-safe; different objects may be used by different threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plr/bench/action_cycle.h"
#include "plr/bench/meter.h"
#include "plr/env/vector_env.h"
#include "plr/procgen/games.h"
#include "plr/procgen/library.h"
#include "plr/procgen/raw_env.h"

namespace plr::bench {

class LibraryPlay {
 public:
  LibraryPlay(const procgen::Variant& variant, SlotRange slots, const procgen::Library& library);

  // Takes one action in every slot; returns their number.
  int step();

  // After the last step; i counts from the first slot.
  std::span<const std::uint8_t> observation(int i) const {
    return envs_[static_cast<std::size_t>(i)]->observation(0);
  }

 private:
  ActionCycle actions_;
  std::vector<std::unique_ptr<procgen::RawEnv>> envs_;
};

// Divides the slots among threads that do not synchronize: the upper bound of this machine.
class FreePlay {
 public:
  FreePlay(const procgen::Variant& variant, int num_slots, int num_threads);

  // Measures once, in all threads concurrently.
  void run(double seconds);
  // Steps per second of wall time, the sum over the threads.
  double rate() const;

 private:
  std::vector<LibraryPlay> plays_;  // [thread]
  std::vector<Meter> meters_;       // [thread]
};

}  // namespace plr::bench

// An upper-confidence-bound bandit over the mean of recent rewards.
//
// choose() returns the arm with the highest bound
//
//   Q(f) + exploration * sqrt(ln n / N(f)),
//
// where Q is the mean of the arm's last `window` rewards, N(f) the number of times it was chosen
// and n the number of all choices; ties go to the first arm.  The reward is credited later:
//
//   UcbBandit bandit(8, {.exploration = 0.1});
//   const std::size_t arm = bandit.choose();
//   ...
//   bandit.credit(3.5);    // to the arm chosen last
//
// By default n and every N start at 1 and every Q at 0, as in the released code of UCB-DrAC: an
// arm is not chosen before its bound exceeds the means of the others.  `each_arm_once` chooses
// every arm once first, as UCB1 does.  Copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"

namespace plr::learn {

struct UcbConfig {
  double exploration = 0.1;
  static constexpr Field kExploration{&UcbConfig::exploration, "ucb_exploration", at_least(0),
                                      "c: weight of the confidence bound against the mean return"};

  std::int64_t window = 10;
  static constexpr Field kWindow{
      &UcbConfig::window, "ucb_window", from_to(1, 1 << 20),
      "K: number of recent updates of an augmentation whose mean return counts"};

  bool each_arm_once = false;
  static constexpr Field kEachArmOnce{
      &UcbConfig::each_arm_once, "ucb_each_arm_once",
      "every augmentation is tried once first, instead of starting with a return of 0 (F13)"};

  static constexpr std::tuple kFields{kExploration, kWindow, kEachArmOnce};
};

class UcbBandit {
 public:
  // Throws std::invalid_argument if a setting is out of its bounds or there is no arm.
  UcbBandit(std::size_t num_arms, const UcbConfig& config);

  // The arm to try next; it is the one that credit() is about.
  std::size_t choose();
  // The arm chosen last, if any, has earned this.  Throws std::invalid_argument if it is not
  // finite.
  void credit(double reward);

  double mean(std::size_t arm) const;         // "Q(f)"
  std::int64_t tries(std::size_t arm) const;  // "N(f)"
  double bound(std::size_t arm) const;        // infinite for an arm to be tried first

  // Everything that decides its future.  load() throws std::runtime_error on bytes that are damaged
  // or of another bandit; nothing has changed then.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  struct Arm {
    std::int64_t tries = 0;
    std::vector<double> rewards;  // the last ones; once full, `oldest` is replaced next
    std::size_t oldest = 0;
  };

  UcbConfig config_;
  std::int64_t num_tries_ = 0;  // "n"
  std::optional<std::size_t> chosen_;
  std::vector<Arm> arms_;
};

}  // namespace plr::learn

// One run of the conformance kit: the environment under test and the violations found so far.
//
//   ConformanceRun run(make, checked);
//   run.check({"it has two slots", [](ConformanceRun& run) {
//     run.expect(run.player(2).spec().num_slots == 2, "...");
//   }});
//   run.violations();
//
// Not copyable.  Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/conformance.h"
#include "plr/env/slot_player_testing.h"

namespace plr {

class ConformanceRun {
 public:
  struct Rule {
    const char* name;
    void (*check)(ConformanceRun&);
  };

  // Long enough that objects are picked up, doors open and some episodes end.
  static constexpr int kSteps = 120;
  static constexpr LevelId kFirstLevel = 3;

  ConformanceRun(const MakeEnv& make, const RuleChecked& checked)
      : make_(make), checked_(checked), random_(Streams(1).named("test")) {}
  ConformanceRun(const ConformanceRun&) = delete;
  ConformanceRun& operator=(const ConformanceRun&) = delete;

  // A new environment.
  SlotPlayer player(int num_slots, int num_workers = 1) {
    return SlotPlayer(make_(num_slots, num_workers));
  }
  Random& random() { return random_; }
  std::vector<Action> actions(const EnvSpec& spec, int count = kSteps);

  // Adds `rule` to the violations unless it holds; once.
  void expect(bool holds, const std::string& rule);
  // Checks a rule and reports it.  An exception that escapes from the check is a violation.
  void check(const Rule& rule);
  // Reports a rule without checking it.
  void skip(const Rule& rule);

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  const MakeEnv& make_;
  const RuleChecked& checked_;
  Random random_;
  std::vector<std::string> violations_;
};

// Invalid calls and damaged bytes are refused and change nothing (conformance_refusals.cc).
void check_refusals(ConformanceRun& run);

}  // namespace plr

// The settings of sampling for learnability. Defaults are those of the paper's maze.
//
//   SflConfig config{.num_surveyed = 5'000};
//   check_fields(config);   // std::invalid_argument with field, bound and value
#pragma once

#include <cstdint>
#include <tuple>

#include "plr/base/fields.h"

namespace plr {

struct SflConfig {
  std::int64_t interval = 100;
  static constexpr Field kInterval{&SflConfig::interval, "sfl_interval", at_least(1),
                                   "rollouts between surveys"};

  std::int64_t num_surveyed = 25'000;
  static constexpr Field kNumSurveyed{&SflConfig::num_surveyed, "sfl_surveyed", from_to(1, 1 << 24),
                                      "new levels that a survey plays"};

  std::int64_t num_kept = 1'000;
  static constexpr Field kNumKept{&SflConfig::num_kept, "sfl_kept", from_to(1, 1 << 24),
                                  "of those, the levels of highest learnability that are kept"};

  std::int64_t survey_steps = 2'000;
  static constexpr Field kSurveySteps{&SflConfig::survey_steps, "sfl_survey_steps",
                                      from_to(1, 1 << 24), "steps of each level in a survey"};

  std::int64_t survey_slots = 5'000;
  static constexpr Field kSurveySlots{&SflConfig::survey_slots, "sfl_survey_slots",
                                      from_to(1, 1 << 16),
                                      "levels that a survey plays in parallel"};

  double fraction = 0.5;
  static constexpr Field kFraction{&SflConfig::fraction, "sfl_fraction", from_to(0, 1),
                                   "rho: fraction of the slots that play kept levels"};

  // The order of the fields in files, flags and saved states.
  static constexpr std::tuple kFields{kInterval,    kNumSurveyed, kNumKept,
                                      kSurveySteps, kSurveySlots, kFraction};
};

}  // namespace plr

// In which settings do the paper and its authors' code differ from the defaults?
//
// By name, so that whoever knows a run by its settings can tell which of them it followed.  What
// each means stands in docs/algorithm.md, by the numbers D1, D2, ... and E2, F9, F12.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "plr/base/fields.h"

namespace plr {

struct NamedSetting {
  std::string_view name;
  std::string_view value;
};

// The paper to the letter.  The default departs from it here, as runs favour it.
inline constexpr std::array<NamedSetting, 1> kPaperSettings = {{
    {"open_episodes", "stitch"},  // D6
}};

// The code that its authors released.
inline constexpr std::array<NamedSetting, 16> kReleasedCodeSettings = {{
    {"warmup_fraction", "1"},        // D1
    {"seen_on", "score"},            // D3
    {"first_levels", "sequential"},  // D4
    {"score_update", "rollout"},     // D5
    {"open_episodes", "commit"},     // D6
    {"commit_zeros", "false"},       // D7
    {"update_order", "slot"},        // D8
    {"released_td_error", "true"},   // D14
    {"clip_negative", "false"},      // D15
    {"unseen_compete", "true"},      // D16, D30
    {"staleness_offset", "0"},       // D21
    {"replay_unseen", "true"},       // D24
    {"tail_row", "true"},            // D29
    {"relu_skip", "true"},           // E2
    {"drac_sampled", "true"},        // F9
    {"overbright_cutout", "true"},   // F12
}};

// A config with those of its fields as the released code has them.
template <class Config>
Config as_released(Config config) {
  for (const auto& [name, value] : kReleasedCodeSettings) {
    set_field(config, name, std::string(value));
  }
  return config;
}

}  // namespace plr

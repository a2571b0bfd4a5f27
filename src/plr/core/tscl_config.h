// What can be chosen about TSCL-Window?
//
// The defaults are the best setting that the paper found for Procgen (table "hyper-parameters" of
// its appendix).  docs/algorithm.md tells the choices where its sources differ.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "plr/base/fields.h"

namespace plr {

// How learning progress becomes a probability.
enum class TsclPolicy : std::uint8_t {
  kEpsilonGreedy,  // 1 - epsilon on the greatest progress, epsilon spread over all levels
  kBoltzmann,      // exp(progress / temperature)
};
constexpr std::array<std::string_view, 2> enum_names(TsclPolicy) {
  return {"epsilon-greedy", "boltzmann"};
}

struct TsclConfig {
  std::int64_t window = 10;
  double smoothing = 1.0;
  TsclPolicy policy = TsclPolicy::kEpsilonGreedy;
  double epsilon = 0.5;
  double temperature = 1.0;
  double staleness_coef = 0.0;
  double first_slope = 0.0;
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, TsclConfig>
void visit_fields(Config& config, Visit&& visit) {
  visit("tscl_window", config.window, from_to(2, 1 << 20),
        "K: the last returns of a level whose slope is its progress");
  visit("tscl_smoothing", config.smoothing, above_to(0, 1),
        "alpha: the weight of a new slope against the old progress; 1 replaces it");
  visit("tscl_policy", config.policy, any_value(), "how progress becomes a probability");
  visit("tscl_epsilon", config.epsilon, from_to(0, 1),
        "of epsilon-greedy: the share spread over all levels");
  visit("tscl_temperature", config.temperature, above(0),
        "tau of boltzmann: the lower, the more the greatest progress is preferred");
  visit("tscl_staleness_coef", config.staleness_coef, from_to(0, 1),
        "rho: the share of draws by how long a level has not been visited");
  visit("tscl_first_slope", config.first_slope, any_value(),
        "the slope of a level with one return: 0, or 1 to try every level early (F1)");
}

}  // namespace plr

// The settings of TSCL-Window (tscl.h).
//
// The defaults are the best setting that the paper found for Procgen (table "hyper-parameters" of
// its appendix). docs/algorithm.md explains the choices where its sources differ.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr {

// How learning progress becomes a probability.
enum class TsclPolicy : std::uint8_t { kEpsilonGreedy, kBoltzmann };
constexpr std::array<std::string_view, 2> enum_names(TsclPolicy) {
  return {"epsilon-greedy", "boltzmann"};
}
constexpr std::array<std::string_view, 2> enum_texts(TsclPolicy) {
  return {"1 - epsilon on the largest progress, epsilon spread over all levels",
          "exp(progress / temperature)"};
}

struct TsclConfig {
  std::int64_t window = 10;
  static constexpr Field kWindow{&TsclConfig::window, "tscl_window", from_to(2, 1 << 20),
                                 "K: number of recent returns of a level whose slope is its "
                                 "progress"};

  double smoothing = 1.0;
  static constexpr Field kSmoothing{
      &TsclConfig::smoothing, "tscl_smoothing", above_to(0, 1),
      "alpha: weight of a new slope against the old progress; 1 replaces it"};

  TsclPolicy policy = TsclPolicy::kEpsilonGreedy;
  static constexpr Field kPolicy{&TsclConfig::policy, "tscl_policy",
                                 "how progress becomes a probability"};

  double epsilon = 0.5;
  static constexpr Field kEpsilon{&TsclConfig::epsilon, "tscl_epsilon", from_to(0, 1),
                                  "for epsilon-greedy: probability that is spread over all levels"};

  double temperature = 1.0;
  static constexpr Field kTemperature{
      &TsclConfig::temperature, "tscl_temperature", above(0),
      "tau of boltzmann: lower values prefer the largest progress more"};

  double staleness_coef = 0.0;
  static constexpr Field kStalenessCoef{&TsclConfig::staleness_coef, "tscl_staleness_coef",
                                        from_to(0, 1), "rho: fraction of draws by staleness"};

  double first_slope = 0.0;
  static constexpr Field kFirstSlope{
      &TsclConfig::first_slope, "tscl_first_slope", any_value(),
      "slope of a level with one return: 0, or 1 to try every level early (F1)"};

  static constexpr std::tuple kFields{kWindow,      kSmoothing,     kPolicy,    kEpsilon,
                                      kTemperature, kStalenessCoef, kFirstSlope};
};

}  // namespace plr

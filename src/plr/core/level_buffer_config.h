// The settings of the level buffer. Defaults are those of JaxUED's maze.
//
//   LevelBufferConfig config{.capacity = 1000};
//   check_fields(config);   // std::invalid_argument with field, bound and value
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr {

// How scores become weights.
enum class Prioritization : std::uint8_t { kRank, kTopk };
constexpr std::array<std::string_view, 2> enum_names(Prioritization) { return {"rank", "topk"}; }
constexpr std::array<std::string_view, 2> enum_texts(Prioritization) {
  return {"rank^(-1/temperature); the highest score has rank 1",
          "exp(score) for the topk highest scores, 0 for the others"};
}

struct LevelBufferConfig {
  std::uint64_t capacity = 4000;
  static constexpr Field kCapacity{&LevelBufferConfig::capacity, "buffer_capacity",
                                   from_to(1, 1 << 24), "number of levels that the buffer holds"};

  double staleness_coef = 0.3;
  static constexpr Field kStalenessCoef{&LevelBufferConfig::staleness_coef, "buffer_staleness_coef",
                                        from_to(0, 1),
                                        "fraction of the draws from the buffer by staleness"};

  double temperature = 0.3;
  static constexpr Field kTemperature{
      &LevelBufferConfig::temperature, "buffer_temperature", above(0),
      "for rank: lower values prefer the highest scores in the buffer more"};

  double min_fill_ratio = 0.5;
  static constexpr Field kMinFillRatio{
      &LevelBufferConfig::min_fill_ratio, "buffer_min_fill_ratio", from_to(0, 1),
      "no replay before this fraction of the buffer's capacity is filled"};

  Prioritization prioritization = Prioritization::kRank;
  static constexpr Field kPrioritization{&LevelBufferConfig::prioritization,
                                         "buffer_prioritization",
                                         "how scores in the buffer become probabilities"};

  std::uint64_t topk = 1;
  static constexpr Field kTopk{&LevelBufferConfig::topk, "buffer_topk", from_to(1, 1 << 24),
                               "for topk: number of highest scores that have a weight"};

  bool duplicate_check = true;
  static constexpr Field kDuplicateCheck{
      &LevelBufferConfig::duplicate_check, "buffer_duplicate_check",
      "a level that the buffer holds is updated instead of inserted a second time"};

  bool keep_unmeasured = true;
  static constexpr Field kKeepUnmeasured{
      &LevelBufferConfig::keep_unmeasured, "buffer_keep_unmeasured",
      "a level keeps its score if no episode ended; false: it ranks last, as in JaxUED"};

  // The order of the fields in files, flags and saved states.
  static constexpr std::tuple kFields{kCapacity,       kStalenessCoef,  kTemperature,
                                      kMinFillRatio,   kPrioritization, kTopk,
                                      kDuplicateCheck, kKeepUnmeasured};
};

}  // namespace plr

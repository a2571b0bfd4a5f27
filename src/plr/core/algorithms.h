// The two variants of the algorithm: the paper's, and the one of the code that its authors
// released.
//
//   set_algorithm(config, Algorithm::kReleasedCode);
//
// A field that has other values there says so in its description (base/fields.h: paper, released).
// docs/algorithm.md explains each of them by the numbers D1, D2, ..., E2, E3, E4, F9 and F12.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "plr/base/fields.h"

namespace plr {

enum class Algorithm : std::uint8_t {
  kDefault,       // the paper, except for D6, E3 and E4 (docs/algorithm.md)
  kPaper,         // the paper to the letter, including its network
  kReleasedCode,  // the code that its authors released
};
constexpr std::array<std::string_view, 3> enum_names(Algorithm) {
  return {"default", "paper", "released-code"};
}

// Sets every field in which the variants differ; other fields keep their values, and so do fields
// that presets choose where the algorithm has no value of its own.
template <class Config>
void set_algorithm(Config& config, Algorithm algorithm) {
  visit_descriptions(config, [&](const auto& field, auto& value) {
    if (!field.paper() && !field.released()) return;
    std::remove_cvref_t<decltype(field.paper())> own;
    if (algorithm == Algorithm::kPaper) own = field.paper();
    if (algorithm == Algorithm::kReleasedCode) own = field.released();
    if (own) {
      value = *own;
    } else if (!field.is_chosen_by_presets()) {
      value = field.default_value();
    }
  });
}

// The default config with the values of the released code.
template <class Config>
Config released_code() {
  Config config;
  set_algorithm(config, Algorithm::kReleasedCode);
  return config;
}

}  // namespace plr

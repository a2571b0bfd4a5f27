// The two variants of the algorithm: the paper's, and the one of the code that its authors
// released.
//
//   set_algorithm(config, Algorithm::kReleasedCode);
//
// A field that has other values there says so in its description (base/fields.h: paper, released).
// docs/algorithm.md explains each of them by the numbers D1, D2, ..., E2, F9 and F12.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "plr/base/fields.h"

namespace plr {

enum class Algorithm : std::uint8_t {
  kDefault,       // the paper, except for D6, where experiments favor the released code
  kPaper,         // the paper to the letter
  kReleasedCode,  // the code that its authors released
};
constexpr std::array<std::string_view, 3> enum_names(Algorithm) {
  return {"default", "paper", "released-code"};
}

// Sets every field in which the variants differ; other fields keep their values.
template <class Config>
void set_algorithm(Config& config, Algorithm algorithm) {
  visit_descriptions(config, [&](const auto& field, auto& value) {
    if (!field.paper() && !field.released()) return;
    const auto& other = algorithm == Algorithm::kPaper ? field.paper() : field.released();
    const bool is_default = algorithm == Algorithm::kDefault || !other;
    value = is_default ? field.default_value() : *other;
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

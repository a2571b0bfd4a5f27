// The spaces of an environment: what an observation is made of, and which actions there are.
//
//   spec.observation_shape = {1, 1, 4};                     // a vector of four floats
//   spec.observation_type = ElementType::kFloat;
//   spec.actions = ActionSpace::continuous({-2}, {2});      // one float, from -2 to 2
//
// An action is actions.size() words of 32 bits: integers, or the bits of floats where the space is
// continuous (to_float(), to_word()).
//
// Plain values: copyable, without synchronization.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plr/base/random.h"

namespace plr {

// The elements of an observation.
enum class ElementType : std::uint8_t {
  kByte,   // std::uint8_t
  kFloat,  // 32 bits
};
constexpr std::size_t size_of(ElementType type) { return type == ElementType::kByte ? 1 : 4; }

// A word of an action.
using Action = std::int32_t;
constexpr float to_float(Action word) { return std::bit_cast<float>(word); }
constexpr Action to_word(float value) { return std::bit_cast<Action>(value); }

struct ActionSpace {
  enum class Kind : std::uint8_t {
    kDiscrete,       // one choice 0..counts[0]-1
    kMultiDiscrete,  // several, word i is a choice 0..counts[i]-1
    kContinuous,     // floats, word i is from low[i] to high[i]
  };

  Kind kind = Kind::kDiscrete;
  std::vector<int> counts = {};  // of discrete and multi-discrete spaces
  std::vector<float> low = {};   // of continuous spaces; may be infinite
  std::vector<float> high = {};

  ActionSpace() = default;
  // A number of actions is a discrete space.
  ActionSpace(int count) : counts{count} {}
  static ActionSpace discrete(int count) { return count; }
  static ActionSpace multi_discrete(std::vector<int> counts) {
    ActionSpace space;
    space.kind = Kind::kMultiDiscrete;
    space.counts = std::move(counts);
    return space;
  }
  static ActionSpace continuous(std::vector<float> low, std::vector<float> high) {
    ActionSpace space;
    space.kind = Kind::kContinuous;
    space.low = std::move(low);
    space.high = std::move(high);
    return space;
  }

  bool is_discrete() const { return kind == Kind::kDiscrete; }
  bool is_continuous() const { return kind == Kind::kContinuous; }
  // The words of an action.
  std::size_t size() const { return is_continuous() ? low.size() : counts.size(); }
  // The same of a space that is not discrete, else 0.
  std::size_t wide_size() const { return is_discrete() ? 0 : size(); }
  // The number of actions of a discrete space, else 0.
  int num_choices() const { return is_discrete() && !counts.empty() ? counts[0] : 0; }
  // Whether the space has actions: sizes agree, counts are above 0, and low is below high.
  bool is_valid() const;
  // Whether a word is in the space at its position.
  bool contains(std::size_t position, Action word) const {
    if (is_continuous()) {
      const float value = to_float(word);
      return value >= low[position] && value <= high[position];
    }
    return word >= 0 && word < counts[position];
  }
  // The word of a policy's number: a choice, or a float that is clipped to its bounds.
  Action word_of(std::size_t position, float number) const {
    if (!is_continuous()) return static_cast<Action>(number);
    return to_word(std::clamp(number, low[position], high[position]));
  }

  friend bool operator==(const ActionSpace&, const ActionSpace&) = default;
};

// "7", "3 x 2" or "[-2, 2] x [0, 1]", for tables.
std::string to_text(const ActionSpace& space);

// Draws an action: choices uniformly; floats uniformly between their bounds, those without two
// finite bounds from [-1, 1] as far as the bounds permit.
// REQUIRES: action has space.size() words.
void draw_action(const ActionSpace& space, Random& random, std::span<Action> action);

}  // namespace plr

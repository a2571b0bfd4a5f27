#include "plr/procgen/start_state.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plr::procgen {
namespace {

// The layout of a state: version 0, length of the game's name, the name, 13 options, the range of
// seeds, ..., end mark.  All numbers have four bytes.
constexpr std::size_t kNumOptions = 13;
constexpr std::uint32_t kEndMark = 0xcafecafe;

std::uint32_t number_at(std::span<const char> bytes, std::size_t offset) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

void set_number(std::span<char> bytes, std::size_t offset, std::uint32_t number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

// A random generator is stored as the length of a text and the text: 625 numbers of up to ten
// digits. Returns the length if there is one at this offset, otherwise 0.
std::size_t generator_size(std::span<const char> bytes, std::size_t offset) {
  constexpr std::size_t kMinSize = 4000;
  const std::size_t size = number_at(bytes, offset);
  if (size < kMinSize || size > bytes.size() - offset - 4) return 0;
  const std::string_view text(bytes.data() + offset + 4, size);
  return text.find_first_not_of("0123456789 ") == text.npos ? size : 0;
}

// "4294967295 17 ... 624" -> "5 7 ... 624": keeps the last digit of each number, and the whole last
// number, which is the number of words used.
std::string with_short_numbers(std::string_view text) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t space = 0; (space = text.find(' ', begin)) != text.npos; begin = space + 1) {
    result += text[space - 1];
    result += ' ';
  }
  return result + std::string(text.substr(begin));
}

// Parsing three random generators dominates the time of a start, and the content of none of them
// matters: one draws the seed from a range of one, one is reseeded by the reset, one is for
// generated images, which are off.  With short numbers a start takes half as long.
std::vector<char> with_short_generators(const std::vector<char>& state, std::size_t begin) {
  std::vector<char> result(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(begin));
  int num_generators = 0;
  for (std::size_t offset = begin; offset < state.size();) {
    const std::size_t size = offset + 4 <= state.size() ? generator_size(state, offset) : 0;
    if (size == 0) {
      result.push_back(state[offset++]);
      continue;
    }
    const std::string text = with_short_numbers({state.data() + offset + 4, size});
    result.resize(result.size() + 4);
    set_number(result, result.size() - 4, static_cast<std::uint32_t>(text.size()));
    result.insert(result.end(), text.begin(), text.end());
    offset += 4 + size;
    ++num_generators;
  }
  if (num_generators != 3)
    throw std::runtime_error("Procgen: a state does not have the three expected random generators");
  return result;
}

}  // namespace

StartState::StartState(const Library& library, const Variant& variant)
    : bytes_(RawEnv(library, variant, 1, {.first = 0, .count = 1}).state(0)),
      seeds_offset_(8 + variant.game->name.size() + 4 * kNumOptions) {
  const std::string& name = variant.game->name;
  const bool is_as_expected = bytes_.size() > seeds_offset_ + 12 && number_at(bytes_, 0) == 0 &&
                              number_at(bytes_, 4) == name.size() &&
                              std::string_view(bytes_.data() + 8, name.size()) == name &&
                              number_at(bytes_, seeds_offset_) == 0 &&
                              number_at(bytes_, seeds_offset_ + 4) == 1 &&
                              number_at(bytes_, bytes_.size() - 4) == kEndMark;
  if (!is_as_expected) {
    throw std::runtime_error("Procgen: the states of " + name + " do not have the expected layout");
  }
  bytes_ = with_short_generators(bytes_, seeds_offset_ + 8);
}

bool StartState::is_of_same_variant(std::span<const char> state) const {
  // The bytes before the seeds: the game's name and its options, one of which is the mode.
  return state.size() > seeds_offset_ + 12 &&
         std::equal(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(seeds_offset_),
                    state.begin()) &&
         number_at(state, state.size() - 4) == kEndMark;
}

std::span<char> StartState::of(LevelId level) {
  assert(level <= kLastLevel);
  set_number(bytes_, seeds_offset_, static_cast<std::uint32_t>(level));
  set_number(bytes_, seeds_offset_ + 4, static_cast<std::uint32_t>(level) + 1);
  return bytes_;
}

}  // namespace plr::procgen

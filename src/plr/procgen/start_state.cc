#include "plr/procgen/start_state.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace plr::procgen {
namespace {

// A state begins: version 0, length of the game's name, the name, 13 numbers of options, and then
// the range of seeds; all numbers have four bytes.  It ends with a mark.
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

}  // namespace

StartState::StartState(const Library& library, const Variant& variant)
    : bytes_(RawEnv(library, variant, 1, {.first = 0, .count = 1}).state(0)),
      seeds_offset_(8 + variant.game->name.size() + 4 * kNumOptions) {
  const std::string& name = variant.game->name;
  const bool is_as_known = bytes_.size() > seeds_offset_ + 12 && number_at(bytes_, 0) == 0 &&
                           number_at(bytes_, 4) == name.size() &&
                           std::string_view(bytes_.data() + 8, name.size()) == name &&
                           number_at(bytes_, seeds_offset_) == 0 &&
                           number_at(bytes_, seeds_offset_ + 4) == 1 &&
                           number_at(bytes_, bytes_.size() - 4) == kEndMark;
  if (!is_as_known) {
    throw std::runtime_error("Procgen: the states of " + name + " have an unknown layout");
  }
}

std::span<char> StartState::of(LevelId level) {
  assert(level <= kLastLevel);
  set_number(bytes_, seeds_offset_, static_cast<std::uint32_t>(level));
  set_number(bytes_, seeds_offset_ + 4, static_cast<std::uint32_t>(level) + 1);
  return bytes_;
}

}  // namespace plr::procgen

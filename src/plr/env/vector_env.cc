#include "plr/env/vector_env.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "plr/core/level_store.h"

namespace plr {
namespace {

constexpr std::uint32_t kVersion = 1;

std::size_t num_slots(const EnvSpec& spec) { return static_cast<std::size_t>(spec.num_slots); }

// "slot must be from 0 to 7, not 8"
template <class Number>
std::string range_message(const std::string& field, Number last, Number value) {
  return field + " must be from 0 to " + std::to_string(last) + ", not " + std::to_string(value);
}

// "action of slot 0 must be from 0 to 1, not 2"; of several words, which one is wrong.
std::string action_message(const ActionSpace& space, int slot, std::size_t position, Action word) {
  std::ostringstream text;
  text << "action of slot " << slot;
  if (space.size() > 1) text << " at position " << position;
  if (space.is_continuous()) {
    text << " must be from " << space.low[position] << " to " << space.high[position] << ", not "
         << to_float(word);
  } else {
    text << " must be from 0 to " << space.counts[position] - 1 << ", not " << word;
  }
  return text.str();
}

void check_size(const char* field, std::size_t expected, std::size_t size) {
  if (size == expected) return;
  throw std::invalid_argument(std::string(field) + " must have " + std::to_string(expected) +
                              " elements, not " + std::to_string(size));
}

// Whether all floats in these bytes are finite.
bool are_finite(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kExponent = 0x7F800000;  // all ones: infinite, or not a number
  bool all = true;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes[at], sizeof bits);
    all &= (bits & kExponent) != kExponent;
  }
  return all;
}

// "{4, -3, 1}"
std::string shape_text(const std::array<int, 3>& shape) {
  return "{" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", " +
         std::to_string(shape[2]) + "}";
}

// Throws std::invalid_argument naming the field of the spec that is invalid.
void check_spec(const EnvSpec& spec) {
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) throw std::invalid_argument("the spec of " + spec.name + ": " + problem);
  };
  require(spec.num_slots > 0,
          "num_slots must be at least 1, not " + std::to_string(spec.num_slots));
  require(std::ranges::all_of(spec.observation_shape, [](int length) { return length > 0; }),
          "the lengths of observation_shape must be at least 1, not " +
              shape_text(spec.observation_shape));
  require(spec.actions.is_valid(), "actions must be a space with actions");
  require(spec.max_steps > 0,
          "max_steps must be at least 1, not " + std::to_string(spec.max_steps));
}

EnvSpec with_full_distribution(EnvSpec spec) {
  check_spec(spec);
  if (spec.full_distribution.size() > 1) return spec;
  constexpr LevelId kMaxCount = std::numeric_limits<LevelId>::max();
  spec.full_distribution = LevelSet::stream(0, std::min(spec.last_level, kMaxCount - 1) + 1);
  return spec;
}

}  // namespace

StepBuffers::StepBuffers(const EnvSpec& spec)
    : observations_(num_slots(spec) * spec.observation_size()),
      rewards_(num_slots(spec)),
      terminated_(num_slots(spec)),
      truncated_(num_slots(spec)) {}

VectorEnv::VectorEnv(EnvSpec spec, int num_workers)
    : spec_(with_full_distribution(std::move(spec))),
      phases_(num_slots(spec_), Phase::kNotStarted),
      solved_(num_slots(spec_)),
      levels_(num_slots(spec_)),
      started_in_(num_slots(spec_)),
      workers_(num_workers) {}

void VectorEnv::start(std::span<const Start> starts, const StepBatch& out) {
  check_buffers(out);
  check_starts(starts);
  if (workers_.num_workers() == 1) {
    for (const Start& start : starts) start_slot(start, out);
    return;
  }
  workers_.run_throwing({0, static_cast<int>(starts.size())},
                        [&](int i) { start_slot(starts[static_cast<std::size_t>(i)], out); });
}

void VectorEnv::step(SlotRange slots, std::span<const Action> actions, const StepBatch& out) {
  check_buffers(out);
  check_actions(slots, actions);
  if (workers_.num_workers() == 1 || spec_.prefers_ranges) return step_range(slots, actions, out);
  workers_.run_throwing(slots, [&](int slot) {
    const std::size_t size = spec_.actions.size();
    const auto offset = static_cast<std::size_t>(slot - slots.begin) * size;
    step_slot(slot, actions.subspan(offset, size), out);
  });
}

void VectorEnv::start_slot(const Start& start, const StepBatch& out) {
  start_level(start.slot, start.level, out);
  const auto i = static_cast<std::size_t>(start.slot);
  phases_[i] = Phase::kRunning;
  levels_[i] = start.level;
  check_observations({start.slot, start.slot + 1}, out);
}

void VectorEnv::step_slot(int slot, std::span<const Action> action, const StepBatch& out) {
  step_range({slot, slot + 1}, action, out);
}

void VectorEnv::step_range(SlotRange slots, std::span<const Action> actions, const StepBatch& out) {
  step_slots(slots, actions, out);
  check_observations(slots, out);
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    const auto i = static_cast<std::size_t>(slot);
    if (!std::isfinite(out.rewards[i])) refuse_reward(slot, out.rewards[i]);
    if (!out.ended(slot)) continue;
    phases_[i] = Phase::kEnded;
    solved_[i] = solved_by(slot, out.rewards[i]) ? 1 : 0;
  }
}

std::optional<LevelId> VectorEnv::level(int slot) const {
  check_slot(slot);
  const auto i = static_cast<std::size_t>(slot);
  if (phases_[i] == Phase::kNotStarted) return std::nullopt;
  return levels_[i];
}

bool VectorEnv::is_running(int slot) const {
  check_slot(slot);
  return phases_[static_cast<std::size_t>(slot)] == Phase::kRunning;
}

bool VectorEnv::has_solved(int slot) const {
  check_slot(slot);
  return solved_[static_cast<std::size_t>(slot)] != 0;
}

std::string_view VectorEnv::mission(int slot) const {
  check_slot(slot);
  const bool started = phases_[static_cast<std::size_t>(slot)] != Phase::kNotStarted;
  return started ? mission_of(slot) : std::string_view();
}

std::optional<int> VectorEnv::difficulty(LevelId level) const {
  check_level(level);
  return difficulty_of(level);
}

std::string VectorEnv::level_name(LevelId level) const {
  check_level(level);
  return level_name_of(level);
}

void VectorEnv::save(int slot, std::vector<std::byte>& out) const {
  check_slot(slot);
  const auto i = static_cast<std::size_t>(slot);
  ByteWriter writer;
  writer.number(static_cast<std::uint8_t>(phases_[i]));
  if (phases_[i] != Phase::kNotStarted) {
    writer.number(levels_[i]);
    save_episode(slot, writer);
  }
  out = writer.seal(spec_.name, kVersion);
  if (out.size() > kMaxNestedState) {
    throw std::runtime_error("level " + std::to_string(levels_[i]) + " of " + spec_.name +
                             " has a state of " + std::to_string(out.size()) + " bytes; at most " +
                             std::to_string(kMaxNestedState) + " can be saved");
  }
}

void VectorEnv::load(int slot, std::span<const std::byte> in) {
  check_slot(slot);
  const auto i = static_cast<std::size_t>(slot);
  ByteReader reader(in, spec_.name, kVersion);
  const auto phase = static_cast<Phase>(reader.number<std::uint8_t>());
  reader.require(phase <= Phase::kEnded, "the phase of the slot is invalid");
  if (phase == Phase::kNotStarted) {
    reader.expect_end();
  } else {
    const auto level = reader.number<LevelId>();
    reader.require(has_level(level), "the level does not exist");
    load_episode(slot, level, phase == Phase::kEnded, reader);
    levels_[i] = level;
  }
  phases_[i] = phase;
  solved_[i] = 0;
}

void VectorEnv::check_slot(int slot) const {
  if (slot < 0 || slot >= spec_.num_slots) {
    throw std::out_of_range(range_message("slot", spec_.num_slots - 1, slot));
  }
}

void VectorEnv::check_level(LevelId level) const {
  if (has_level(level)) return;
  if (is_stored(level)) {
    throw std::out_of_range("level " + std::to_string(level) + " is not in a store of " +
                            spec_.name);
  }
  throw std::out_of_range(range_message("level", spec_.last_level, level));
}

void VectorEnv::check_buffers(const StepBatch& out) const {
  check_size("observations", num_slots(spec_) * spec_.observation_size(), out.observations.size());
  check_size("rewards", num_slots(spec_), out.rewards.size());
  check_size("terminated", num_slots(spec_), out.terminated.size());
  check_size("truncated", num_slots(spec_), out.truncated.size());
}

void VectorEnv::refuse_reward(int slot, double reward) const {
  throw std::runtime_error("level " + std::to_string(levels_[static_cast<std::size_t>(slot)]) +
                           " of " + spec_.name + " gave the reward " + std::to_string(reward) +
                           "; rewards must be finite numbers");
}

void VectorEnv::check_observations(SlotRange slots, const StepBatch& out) const {
  if (spec_.observation_type != ElementType::kFloat) return;
  const std::size_t size = spec_.observation_size();
  const auto bytes_of = [&](SlotRange range) {
    return out.observations.subspan(static_cast<std::size_t>(range.begin) * size,
                                    static_cast<std::size_t>(range.size()) * size);
  };
  if (are_finite(bytes_of(slots))) return;
  int slot = slots.begin;
  while (are_finite(bytes_of({slot, slot + 1}))) ++slot;
  throw std::runtime_error("level " + std::to_string(levels_[static_cast<std::size_t>(slot)]) +
                           " of " + spec_.name +
                           " gave an observation with an element that is not finite; "
                           "observations must be finite numbers");
}

void VectorEnv::check_starts(std::span<const Start> starts) {
  ++num_start_calls_;
  for (const Start& start : starts) {
    check_slot(start.slot);
    check_level(start.level);
    const bool again = std::exchange(started_in_[static_cast<std::size_t>(start.slot)],
                                     num_start_calls_) == num_start_calls_;
    if (again) {
      throw std::invalid_argument("slot " + std::to_string(start.slot) +
                                  " is named twice; start it once per call");
    }
  }
}

void VectorEnv::check_actions(SlotRange slots, std::span<const Action> actions) const {
  if (slots.begin < 0 || slots.end < slots.begin || slots.end > spec_.num_slots) {
    throw std::out_of_range("slots must lie in 0.." + std::to_string(spec_.num_slots) + ", not " +
                            std::to_string(slots.begin) + ".." + std::to_string(slots.end));
  }
  const std::size_t size = spec_.actions.size();
  check_size("actions", static_cast<std::size_t>(slots.size()) * size, actions.size());
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    const std::size_t first = static_cast<std::size_t>(slot - slots.begin) * size;
    for (std::size_t i = 0; i < size; ++i) {
      if (!spec_.actions.contains(i, actions[first + i])) {
        throw std::invalid_argument(action_message(spec_.actions, slot, i, actions[first + i]));
      }
    }
    const Phase phase = phases_[static_cast<std::size_t>(slot)];
    if (phase != Phase::kRunning) {
      throw std::invalid_argument(
          "slot " + std::to_string(slot) +
          (phase == Phase::kEnded ? " has ended its episode" : " has not been started") +
          "; start a level there before it steps");
    }
  }
}

}  // namespace plr

#include "plr/remote/remote_env.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace plr::remote {
namespace {

constexpr LevelId kLastLevel = (LevelId{1} << 31) - 1;  // seeds that every generator takes
constexpr std::uint8_t kUnknown = 2;                    // in `solved`

// The slots of process i of n.
SlotRange share_of(int i, int n, int num_slots) { return part_of_slots({0, num_slots}, i, n); }

}  // namespace

RemoteEnv::RemoteEnv(const std::string& name, const std::filesystem::path& socket,
                     const EnvOptions& options)
    : RemoteEnv(name, options, make_processes(socket, options)) {}

RemoteEnv::RemoteEnv(const std::string& name, const EnvOptions& options, Processes processes)
    : VectorEnv(make_spec(name, options, processes), static_cast<int>(processes.size())),
      processes_(std::move(processes)),
      is_cut_(static_cast<std::size_t>(options.num_slots)),
      solved_(static_cast<std::size_t>(options.num_slots), kUnknown),
      played_(static_cast<std::size_t>(options.num_slots)) {
  const int count = static_cast<int>(processes_.size());
  for (int i = 0; i < count; ++i) {
    first_slots_.push_back(share_of(i, count, options.num_slots).begin);
  }
  first_slots_.push_back(options.num_slots);
}

RemoteEnv::Processes RemoteEnv::make_processes(const std::filesystem::path& socket,
                                               const EnvOptions& options) {
  const int count = num_workers_for(options.num_workers, options.num_slots);
  Processes processes;
  for (int i = 0; i < count; ++i) {
    const int num_slots = share_of(i, count, options.num_slots).size();
    processes.push_back(std::make_unique<SlotProcess>(socket, num_slots));
    if (processes.back()->spec() != processes.front()->spec()) {
      throw std::runtime_error("make_env must create environments of equal spaces");
    }
  }
  return processes;
}

EnvSpec RemoteEnv::make_spec(const std::string& name, const EnvOptions& options,
                             const Processes& processes) {
  const RemoteSpec& remote = processes.front()->spec();
  EnvSpec spec;
  spec.name = name;
  spec.num_slots = options.num_slots;
  spec.observation_shape = remote.observation_shape;
  spec.observation_type = remote.observation_type;
  spec.actions = remote.actions;
  spec.max_steps = remote.max_steps;
  spec.last_level = kLastLevel;
  spec.full_distribution = LevelSet::stream(0, kLastLevel + 1);
  spec.prefers_ranges = true;
  return spec;
}

RemoteEnv::Place RemoteEnv::place_of(int slot) const {
  const auto after = std::ranges::upper_bound(first_slots_, slot);
  const auto i = static_cast<std::size_t>(after - first_slots_.begin() - 1);
  return {processes_[i].get(), slot - first_slots_[i]};
}

void RemoteEnv::refuse(int slot, const std::string& what) const {
  throw std::runtime_error("the Python environment failed: level " +
                           std::to_string(played_[static_cast<std::size_t>(slot)]) + " gave " +
                           what);
}

void RemoteEnv::copy_observation(const Place& place, int slot, const StepBatch& out) const {
  const std::size_t size = spec().observation_size();
  std::uint8_t* to = out.observations.data() + static_cast<std::size_t>(slot) * size;
  std::memcpy(
      to,
      place.process->results().observations.data() + static_cast<std::size_t>(place.slot) * size,
      size);
  if (spec().observation_type != ElementType::kFloat) return;
  for (std::size_t i = 0; i < size; i += sizeof(float)) {
    float element = 0;
    std::memcpy(&element, to + i, sizeof element);
    if (std::isfinite(element)) continue;
    refuse(slot, "an observation with the element " + std::to_string(element) +
                     "; observations must be finite numbers");
  }
}

void RemoteEnv::copy_results(const Place& place, int slot, const StepBatch& out) {
  const auto i = static_cast<std::size_t>(slot);
  const auto there = static_cast<std::size_t>(place.slot);
  const StepBatch results = place.process->results();
  out.rewards[i] = results.rewards[there];
  if (!std::isfinite(out.rewards[i])) {
    refuse(slot,
           "the reward " + std::to_string(out.rewards[i]) + "; rewards must be finite numbers");
  }
  out.terminated[i] = results.terminated[there] != 0 ? 1 : 0;
  out.truncated[i] = results.truncated[there] != 0 ? 1 : 0;
  solved_[i] = place.process->solved()[there];
  copy_observation(place, slot, out);
}

void RemoteEnv::start_level(int slot, LevelId level, const StepBatch& out) {
  const Place place = place_of(slot);
  const auto lock = place.process->lock();
  const auto number = static_cast<std::uint32_t>(place.slot);
  place.process->submit(
      {.kind = Request::kStart, .begin = number, .end = number + 1, .level = level});
  place.process->collect();
  is_cut_[static_cast<std::size_t>(slot)] = 0;
  played_[static_cast<std::size_t>(slot)] = level;
  copy_observation(place, slot, out);
}

void RemoteEnv::step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) {
  const std::size_t words = spec().actions.size();
  const auto cut = std::span(is_cut_).subspan(static_cast<std::size_t>(slots.begin),
                                              static_cast<std::size_t>(slots.size()));
  if (std::ranges::find(cut, 1) == cut.end()) return step_in_processes(slots, actions, out);
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    const auto i = static_cast<std::size_t>(slot);
    const auto offset = static_cast<std::size_t>(slot - slots.begin) * words;
    if (is_cut_[i] != 0) {
      cut_episode(slot, out);
    } else {
      step_in_processes({slot, slot + 1}, actions.subspan(offset, words), out);
    }
  }
}

// One request to each process that has slots of the range; they work at the same time.
void RemoteEnv::step_in_processes(SlotRange slots, std::span<const Action> actions,
                                  const StepBatch& out) {
  std::vector<std::unique_lock<std::mutex>> locks;  // of one process after the other, in order
  const std::size_t words = spec().actions.size();
  const auto visit_parts = [&](const auto& visit) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const SlotRange part = {std::max(slots.begin, first_slots_[i]),
                              std::min(slots.end, first_slots_[i + 1])};
      if (part.begin < part.end) visit(*processes_[i], part, first_slots_[i]);
    }
  };
  visit_parts([&](SlotProcess& process, SlotRange part, int first) {
    locks.push_back(process.lock());
    const auto from = static_cast<std::size_t>(part.begin - slots.begin) * words;
    const auto to = static_cast<std::size_t>(part.begin - first) * words;
    const auto count = static_cast<std::size_t>(part.size()) * words;
    std::ranges::copy(actions.subspan(from, count), process.actions().subspan(to).begin());
    process.submit({.kind = Request::kStep,
                    .begin = static_cast<std::uint32_t>(part.begin - first),
                    .end = static_cast<std::uint32_t>(part.end - first)});
  });
  visit_parts([&](SlotProcess& process, SlotRange part, int first) {
    process.collect();
    for (int slot = part.begin; slot < part.end; ++slot) {
      copy_results({&process, slot - first}, slot, out);
    }
  });
}

void RemoteEnv::cut_episode(int slot, const StepBatch& out) {
  const auto i = static_cast<std::size_t>(slot);
  is_cut_[i] = 0;
  solved_[i] = 0;
  out.rewards[i] = 0;
  out.terminated[i] = 0;
  out.truncated[i] = 1;
  const std::size_t size = spec().observation_size();
  std::ranges::fill(out.observations.subspan(i * size, size), std::uint8_t{0});
}

bool RemoteEnv::solved_by(int slot, double last_reward) const {
  const std::uint8_t solved = solved_[static_cast<std::size_t>(slot)];
  return solved == kUnknown ? last_reward > 0 : solved != 0;
}

void RemoteEnv::save_episode(int slot, ByteWriter& out) const {
  const Place place = place_of(slot);
  const bool has_state =
      place.process->spec().can_save && is_cut_[static_cast<std::size_t>(slot)] == 0;
  out.number(static_cast<std::uint8_t>(has_state ? 1 : 0));
  if (!has_state) return;
  const auto lock = place.process->lock();
  const auto number = static_cast<std::uint32_t>(place.slot);
  place.process->submit({.kind = Request::kSave, .begin = number, .end = number + 1});
  out.numbers<std::byte>(place.process->collect());
}

void RemoteEnv::load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) {
  const auto has_state = in.number<std::uint8_t>();
  in.require(has_state <= 1, "it has a wrong mark");
  std::vector<std::byte> state;
  if (has_state == 1) state = in.numbers<std::byte>(kMaxNestedState);
  in.expect_end();
  const auto i = static_cast<std::size_t>(slot);
  if (has_state == 1) {
    const Place place = place_of(slot);
    const auto lock = place.process->lock();
    const auto number = static_cast<std::uint32_t>(place.slot);
    place.process->submit(
        {.kind = Request::kLoad, .begin = number, .end = number + 1, .level = level}, state);
    place.process->collect();
  }
  is_cut_[i] = has_state == 0 && !has_ended ? 1 : 0;
  solved_[i] = kUnknown;
  played_[i] = level;
}

}  // namespace plr::remote

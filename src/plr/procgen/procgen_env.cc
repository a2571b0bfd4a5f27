#include "plr/procgen/procgen_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "plr/base/bytes.h"

namespace plr::procgen {
namespace {

EnvSpec make_spec(const Variant& variant, const EnvOptions& options) {
  check_fields(options);
  const EnvOptions defaults;
  if (options.observation != defaults.observation) {
    throw std::invalid_argument("observation: " + variant.env_name() + " offers full only, not " +
                                to_text(options.observation));
  }
  if (options.seeding != defaults.seeding) {
    throw std::invalid_argument("seeding: " + variant.env_name() + " offers default only, not " +
                                to_text(options.seeding));
  }
  EnvSpec spec;
  spec.name = variant.env_name();
  spec.num_slots = options.num_slots;
  spec.observation_shape = {kImageSide, kImageSide, 3};
  spec.num_actions = kNumActions;
  spec.max_steps = variant.max_steps();
  spec.last_level = kLastLevel;
  spec.full_distribution = LevelSet::stream(0, kLastLevel + 1);
  return spec;
}

constexpr std::uint32_t kStateVersion = 1;  // of a sealed state
constexpr std::size_t kMaxSealedSize = 2 * kMaxStateSize;

}  // namespace

ProcgenEnv::ProcgenEnv(const Variant& variant, const EnvOptions& options)
    : VectorEnv(make_spec(variant, options)),
      variant_(variant),
      start_state_(Library::installed(), variant),
      slots_(static_cast<std::size_t>(options.num_slots)),
      pending_starts_(slots_.size()),
      pool_(num_workers_for(options.num_workers, options.num_slots)) {
  for (int slot = 0; slot < options.num_slots; ++slot) library_of(slot);  // loads the copies
  // On the threads that will step them, so that their memory is local to those threads.
  pool_.run({0, options.num_slots}, [&](int slot) noexcept { slot_at(slot) = make_slot(slot); });
}

const Library& ProcgenEnv::library_of(int slot) const {
  return Library::of_worker(slot % pool_.num_workers(), pool_.num_workers());
}

ProcgenEnv::Slot ProcgenEnv::make_slot(int slot) const {
  return {std::make_unique<LevelGame>(library_of(slot), variant_, start_state_)};
}

void ProcgenEnv::start_levels(int lane, std::span<const Start> starts, const StepBatch& out) {
  if (starts.empty()) return;
  const auto [first, last] = std::ranges::minmax(starts, {}, &Start::slot);
  for (const Start& start : starts) {
    const bool is_at_start = slot_at(start.slot).game->is_at_start_of(start.level);
    StartStateCache::Entry* entry = is_at_start ? nullptr : start_state_cache_.visit(start.level);
    const bool is_cached = entry != nullptr && entry->is_ready;
    pending_starts_[static_cast<std::size_t>(start.slot)] = {start.level, entry, is_cached};
    if (entry != nullptr && !is_cached) {
      storing_[static_cast<std::size_t>(lane)].push_back(entry);
    }
  }
  LaneWork& work = work_[static_cast<std::size_t>(lane)];
  work = {this, first.slot, {}, out};
  pool_.submit(lane, {first.slot, last.slot + 1}, work);
}

void ProcgenEnv::step_slots(int lane, SlotRange slots, std::span<const Action> actions,
                            const StepBatch& out) {
  LaneWork& work = work_[static_cast<std::size_t>(lane)];
  work = {this, slots.begin, actions, out};
  pool_.submit(lane, slots, work);
}

void ProcgenEnv::LaneWork::operator()(int slot) const noexcept {
  if (actions.empty()) {
    env->start_slot(slot, out);
  } else {
    env->step_slot(slot, actions[static_cast<std::size_t>(slot - first_slot)], out);
  }
}

void ProcgenEnv::collect_lane(int lane) {
  pool_.collect(lane);
  std::vector<StartStateCache::Entry*>& stored = storing_[static_cast<std::size_t>(lane)];
  for (StartStateCache::Entry* entry : stored) start_state_cache_.mark_ready(*entry);
  stored.clear();
}

void ProcgenEnv::start_slot(int number, const StepBatch& out) {
  std::optional<PendingStart>& start = pending_starts_[static_cast<std::size_t>(number)];
  if (!start) return;
  Slot& slot = slot_at(number);
  if (start->is_cached) {
    slot.game->set_state(start->entry->state);  // the library only reads it
  } else {
    slot.game->start(start->level);
    if (start->entry != nullptr) start->entry->state = slot.game->state();
  }
  slot.num_steps = 0;
  observe(number, out);
  start.reset();
}

void ProcgenEnv::step_slot(int number, Action action, const StepBatch& out) {
  const auto i = static_cast<std::size_t>(number);
  Slot& slot = slots_[i];
  slot.game->step(action);
  const bool has_ended = slot.game->has_ended();
  const bool is_last = ++slot.num_steps == spec().max_steps;
  out.rewards[i] = slot.game->reward();
  out.truncated[i] = has_ended && is_last ? 1 : 0;
  out.terminated[i] = has_ended && (!is_last || slot.game->is_solved()) ? 1 : 0;
  observe(number, out);
}

void ProcgenEnv::observe(int slot, const StepBatch& out) const {
  const auto image = slot_at(slot).game->observation();
  const std::size_t offset = static_cast<std::size_t>(slot) * kObservationSize;
  std::ranges::copy(image, out.observations.subspan(offset, kObservationSize).begin());
}

bool ProcgenEnv::solved_by(int slot, double /*last_reward*/) const {
  return slot_at(slot).game->is_solved();
}

void ProcgenEnv::save_episode(int slot, ByteWriter& out) const {
  ByteWriter state;
  state.number(slot_at(slot).num_steps);
  state.numbers<char>(slot_at(slot).game->state());
  out.numbers<std::byte>(state.seal(spec().name, kStateVersion));
}

void ProcgenEnv::load_episode(int slot, LevelId level, bool /*has_ended*/, ByteReader& in) {
  const auto sealed = in.numbers<std::byte>(kMaxSealedSize);
  in.expect_end();
  ByteReader reader(sealed, spec().name, kStateVersion);
  const auto num_steps = reader.number<std::int64_t>();
  std::vector<char> state = reader.numbers<char>(kMaxStateSize);
  reader.expect_end();
  reader.require(num_steps >= 0 && num_steps <= spec().max_steps, "its number of steps is invalid");
  reader.require(start_state_.is_of_same_variant(state), "it is not a state of this game and mode");

  // Into the spare slot, so that nothing has changed if the state is refused.
  if (spare_.game == nullptr) spare_ = make_slot(slot);
  spare_.game->set_state(state);
  spare_.num_steps = num_steps;
  reader.require(spare_.game->level() == level, "its level does not match");
  std::swap(slot_at(slot), spare_);
}

}  // namespace plr::procgen

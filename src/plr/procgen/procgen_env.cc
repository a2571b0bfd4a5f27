#include "plr/procgen/procgen_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "plr/base/bytes.h"

namespace plr::procgen {
namespace {

EnvSpec make_spec(const Variant& variant, const EnvOptions& options) {
  check_plain_options(variant.env_name(), options);
  EnvSpec spec;
  spec.name = variant.env_name();
  spec.num_slots = options.num_slots;
  spec.observation_shape = {kImageSide, kImageSide, 3};
  spec.actions = ActionSpace::discrete(kNumActions);
  spec.max_steps = variant.max_steps();
  spec.last_level = kLastLevel;
  spec.full_distribution = LevelSet::stream(0, kLastLevel + 1);
  return spec;
}

constexpr std::uint32_t kStateVersion = 1;  // of a sealed state
constexpr std::size_t kMaxSealedSize = 2 * kMaxStateSize;

}  // namespace

ProcgenEnv::ProcgenEnv(const Variant& variant, const EnvOptions& options)
    : VectorEnv(make_spec(variant, options),
                num_workers_for(options.num_workers, options.num_slots)),
      variant_(variant),
      start_state_(Library::installed(), variant),
      slots_(static_cast<std::size_t>(options.num_slots)) {
  for (int slot = 0; slot < options.num_slots; ++slot) library_of(slot);  // loads the copies
  // On the threads that will step them, so that their memory is local to those threads.
  workers().run_throwing({0, options.num_slots},
                         [&](int slot) { slot_at(slot) = make_slot(slot); });
}

const Library& ProcgenEnv::library_of(int slot) const {
  return Library::of_slot(slot, spec().num_slots, workers().num_workers());
}

ProcgenEnv::Slot ProcgenEnv::make_slot(int slot) const {
  return {std::make_unique<LevelGame>(library_of(slot), variant_, start_state_)};
}

void ProcgenEnv::start_level(int number, LevelId level, const StepBatch& out) {
  Slot& slot = slot_at(number);
  if (!slot.game->is_at_start_of(level)) {
    const StartStateCache::Visit visit = start_state_cache_.visit(level);
    if (visit.stored != nullptr) {
      slot.game->set_state(*visit.stored);  // the library only reads it
    } else {
      slot.game->start(level);
      if (visit.must_store) start_state_cache_.store(level, slot.game->state());
    }
  }
  slot.num_steps = 0;
  observe(number, out);
}

void ProcgenEnv::step_slots(SlotRange slots, std::span<const Action> actions,
                            const StepBatch& out) {
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    step_game(slot, actions[static_cast<std::size_t>(slot - slots.begin)], out);
  }
}

void ProcgenEnv::step_game(int number, Action action, const StepBatch& out) {
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
  // Not std::ranges::copy, which in GCC 12 copies const bytes one by one.
  std::copy(image.begin(), image.end(), out.observations.subspan(offset).begin());
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

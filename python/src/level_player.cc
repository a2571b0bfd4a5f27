#include "level_player.h"

#include <algorithm>
#include <utility>

namespace plr::python {

LevelPlayer::LevelPlayer(std::unique_ptr<VectorEnv> env)
    : env_(std::move(env)), buffers_(env_->spec()) {
  const auto n = static_cast<std::size_t>(spec().num_slots);
  levels_.resize(n);
  returns_.resize(n);
  lengths_.resize(n);
  ended_.reserve(n);
  final_observations_.resize(n * spec().observation_size());
  final_levels_.resize(n);
  final_returns_.resize(n);
  final_lengths_.resize(n);
  solved_.resize(n);
}

void LevelPlayer::start(std::span<const Start> starts) {
  env_->start(starts, batch());
  for (const Start& start : starts) {
    const auto i = static_cast<std::size_t>(start.slot);
    levels_[i] = start.level;
    returns_[i] = 0;
    lengths_[i] = 0;
  }
}

void LevelPlayer::step(std::span<const Action> actions, std::span<const Start> starts) {
  if (!starts.empty()) start(starts);
  ended_.clear();
  const StepBatch now = batch();
  int begin = 0;
  for (const Start& started : starts) {
    const auto i = static_cast<std::size_t>(started.slot);
    now.rewards[i] = 0;
    now.terminated[i] = 0;
    now.truncated[i] = 0;
    step_range({begin, started.slot}, actions);
    begin = started.slot + 1;
  }
  step_range({begin, spec().num_slots}, actions);
}

void LevelPlayer::step_range(SlotRange slots, std::span<const Action> actions) {
  if (slots.size() == 0) return;
  const StepBatch now = batch();
  const std::size_t size = spec().actions.size();
  const auto begin = static_cast<std::size_t>(slots.begin) * size;
  env_->step(slots, actions.subspan(begin, static_cast<std::size_t>(slots.size()) * size), now);
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    const auto i = static_cast<std::size_t>(slot);
    returns_[i] += now.rewards[i];
    ++lengths_[i];
    if (now.ended(slot)) note_end(slot);
  }
}

void LevelPlayer::note_end(int slot) {
  const auto i = static_cast<std::size_t>(slot);
  ended_.push_back(slot);
  final_levels_[i] = levels_[i];
  final_returns_[i] = returns_[i];
  final_lengths_[i] = lengths_[i];
  solved_[i] = env_->has_solved(slot) ? 1 : 0;
  const std::size_t size = spec().observation_size();
  std::ranges::copy(batch().observations.subspan(i * size, size),
                    final_observations_.begin() + static_cast<std::ptrdiff_t>(i * size));
}

}  // namespace plr::python

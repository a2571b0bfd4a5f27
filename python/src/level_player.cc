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

void LevelPlayer::step(std::span<const Action> actions) {
  const StepBatch now = batch();
  env_->step({0, spec().num_slots}, actions, now);
  ended_.clear();
  for (int slot = 0; slot < spec().num_slots; ++slot) {
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

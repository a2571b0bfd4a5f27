// How does one play single slots of an environment and compare what they show?
//
//   SlotPlayer player(make_env(name, {.num_slots = 2}));
//   player.play_level(0, 7, actions) == player.play_level(1, 7, actions)
//
// For tests: convenient rather than fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plr/env/vector_env.h"

namespace plr {

using Bytes = std::vector<std::byte>;

// What one slot showed after its start or a step.
struct Moment {
  std::vector<std::uint8_t> observation;
  double reward = 0;
  bool terminated = false;
  bool truncated = false;
  friend bool operator==(const Moment&, const Moment&) = default;
};
using Episode = std::vector<Moment>;

// An environment with its buffers and the usual ways to play in it.
class SlotPlayer {
 public:
  explicit SlotPlayer(std::unique_ptr<VectorEnv> env)
      : env_(std::move(env)), buffers_(env_->spec()) {}

  VectorEnv& env() { return *env_; }
  const EnvSpec& spec() const { return env_->spec(); }
  StepBatch batch() { return buffers_.batch(); }

  Moment start(int slot, LevelId level) {
    const Start start = {slot, level};
    env_->start({&start, 1}, batch());
    Moment moment;
    moment.observation = observation(slot);
    return moment;
  }

  Moment step(int slot, Action action) {
    env_->step({slot, slot + 1}, {&action, 1}, batch());
    return last(slot);
  }

  // What the buffers say about a slot.
  Moment last(int slot) {
    const auto i = static_cast<std::size_t>(slot);
    return {observation(slot), batch().rewards[i], batch().terminated[i] != 0,
            batch().truncated[i] != 0};
  }

  // Goes on with these actions until they or the episode end.
  Episode play(int slot, std::span<const Action> actions) {
    Episode episode;
    for (const Action action : actions) {
      if (!env_->is_running(slot)) break;
      episode.push_back(step(slot, action));
    }
    return episode;
  }

  Episode play_level(int slot, LevelId level, std::span<const Action> actions) {
    Episode episode = {start(slot, level)};
    const Episode rest = play(slot, actions);
    episode.insert(episode.end(), rest.begin(), rest.end());
    return episode;
  }

  Bytes saved(int slot) {
    Bytes bytes;
    env_->save(slot, bytes);
    return bytes;
  }

  std::vector<Bytes> all_saved() {
    std::vector<Bytes> all;
    all.reserve(static_cast<std::size_t>(spec().num_slots));
    for (int slot = 0; slot < spec().num_slots; ++slot) all.push_back(saved(slot));
    return all;
  }

 private:
  std::vector<std::uint8_t> observation(int slot) {
    const std::size_t size = spec().observation_size();
    const auto image = batch().observations.subspan(static_cast<std::size_t>(slot) * size, size);
    return {image.begin(), image.end()};
  }

  std::unique_ptr<VectorEnv> env_;
  StepBuffers buffers_;
};

}  // namespace plr

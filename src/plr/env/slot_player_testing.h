// Plays single slots of an environment and compares their outputs, for tests.
//
//   SlotPlayer player(make_env(name, {.num_slots = 2}));
//   player.play_level(0, 7, actions) == player.play_level(1, 7, actions)
//
// Convenient rather than fast: it copies every observation.  Movable.  Not thread-safe.
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

// The output of one slot after its start or a step.
struct SlotOutput {
  std::vector<std::uint8_t> observation;
  double reward = 0;
  bool terminated = false;
  bool truncated = false;
  friend bool operator==(const SlotOutput&, const SlotOutput&) = default;
};
using Episode = std::vector<SlotOutput>;

// An environment with its buffers.
class SlotPlayer {
 public:
  explicit SlotPlayer(std::unique_ptr<VectorEnv> env)
      : env_(std::move(env)), buffers_(env_->spec()) {}

  VectorEnv& env() { return *env_; }
  const EnvSpec& spec() const { return env_->spec(); }
  StepBatch batch() { return buffers_.batch(); }

  SlotOutput start(int slot, LevelId level) {
    const Start start = {slot, level};
    env_->start({&start, 1}, batch());
    SlotOutput output;
    output.observation = observation(slot);
    return output;
  }

  SlotOutput step(int slot, std::span<const Action> action) {
    env_->step({slot, slot + 1}, action, batch());
    return last(slot);
  }

  // The content of the buffers for a slot.
  SlotOutput last(int slot) {
    const auto i = static_cast<std::size_t>(slot);
    return {observation(slot), batch().rewards[i], batch().terminated[i] != 0,
            batch().truncated[i] != 0};
  }

  // Continues with these actions until the last one or the end of the episode.
  Episode play(int slot, std::span<const Action> actions) {
    Episode episode;
    const std::size_t size = spec().actions.size();
    for (std::size_t i = 0; i < actions.size() && env_->is_running(slot); i += size) {
      episode.push_back(step(slot, actions.subspan(i, size)));
    }
    return episode;
  }

  // The same without keeping the outputs, for long episodes of large observations.
  void run(int slot, std::span<const Action> actions) {
    const std::size_t size = spec().actions.size();
    for (std::size_t i = 0; i < actions.size() && env_->is_running(slot); i += size) {
      env_->step({slot, slot + 1}, actions.subspan(i, size), batch());
    }
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

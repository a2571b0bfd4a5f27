#include "plr/env/random_play.h"

#include <span>

#include "plr/base/random.h"

namespace plr {
namespace {

// The period of the actions: a prime number, so that slots do not repeat each other's.
constexpr std::size_t kNumActions = 65'537;

std::vector<Action> random_actions(const EnvSpec& spec, std::uint64_t seed) {
  Random random = Streams(seed).named("actions");
  const std::size_t size = spec.actions.size();
  // num_slots more at the end, so that the actions of every step are contiguous.
  std::vector<Action> words((kNumActions + static_cast<std::size_t>(spec.num_slots)) * size);
  for (std::size_t i = 0; i < words.size(); i += size) {
    draw_action(spec.actions, random, std::span(words).subspan(i, size));
  }
  return words;
}

}  // namespace

RandomPlay::RandomPlay(VectorEnv& env, std::uint64_t seed)
    : env_(env), buffers_(env.spec()), actions_(random_actions(env.spec(), seed)) {
  const int num_slots = env.spec().num_slots;
  starts_.reserve(static_cast<std::size_t>(num_slots));
  for (int slot = 0; slot < num_slots; ++slot) starts_.push_back({slot, next_level()});
  env_.start(starts_, buffers_.batch());
}

void RandomPlay::step() {
  const int num_slots = env_.spec().num_slots;
  const auto count = static_cast<std::size_t>(num_slots);
  const StepBatch batch = buffers_.batch();
  const std::size_t size = env_.spec().actions.size();
  env_.step({0, num_slots}, std::span(actions_).subspan(next_action_ * size, count * size), batch);
  next_action_ = (next_action_ + count) % kNumActions;
  num_steps_ += num_slots;

  starts_.clear();
  for (int slot = 0; slot < num_slots; ++slot) {
    if (batch.ended(slot)) starts_.push_back({slot, next_level()});
  }
  num_episodes_ += static_cast<std::int64_t>(starts_.size());
  if (!starts_.empty()) env_.start(starts_, batch);
}

}  // namespace plr

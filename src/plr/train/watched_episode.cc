#include "plr/train/watched_episode.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <memory>

#include "plr/learn/policy.h"

namespace plr::train {
namespace {

std::vector<float> probabilities_of(const learn::Network& network, const at::Tensor& obs) {
  const c10::InferenceMode inference;
  const at::Tensor row = at::softmax(network.forward(obs).logits, 1).to(at::kCPU).contiguous();
  const float* data = row.const_data_ptr<float>();
  return {data, data + row.numel()};
}

}  // namespace

Agent trained_agent(learn::Backend& backend, bool greedy, Random random) {
  const auto policy =
      std::make_shared<learn::Policy>(backend, learn::PolicyConfig{.greedy = greedy}, 1);
  const learn::Network& network = backend.network();
  return [&network, policy, random](std::span<const std::uint8_t> observation) mutable {
    const at::Tensor obs = learn::view_of_obs(observation, network.shape());
    const double uniform = random.uniform();
    PolicyOutput output{.probabilities = probabilities_of(network, obs), .value = 0.0F};
    float log_prob = 0;
    std::ranges::copy(observation, policy->observations().begin());
    policy->act({&uniform, 1}, {{&output.action, 1}, {&log_prob, 1}, {&*output.value, 1}, {}});
    return output;
  };
}

Agent random_agent(int num_actions, Random random) {
  return [num_actions, random](std::span<const std::uint8_t>) mutable {
    const auto count = static_cast<std::size_t>(num_actions);
    return PolicyOutput{
        .action = static_cast<Action>(random.below(count)),
        .probabilities = std::vector<float>(count, 1.0F / static_cast<float>(count)),
        .value = std::nullopt};
  };
}

WatchedEpisode watch_episode(VectorEnv& env, LevelId level, const Agent& agent,
                             std::optional<int> max_steps,
                             const std::function<bool(const EpisodeState&)>& watcher) {
  assert(env.spec().num_slots == 1);
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const Start start = {0, level};
  env.start({&start, 1}, batch);

  EpisodeState state;
  state.observation = batch.observations;
  const int limit = max_steps.value_or(env.spec().max_steps);
  while (state.step < limit && env.is_running(0)) {
    state.output = agent(batch.observations);
    if (!watcher(state)) return {state.step, state.episode_return};
    env.step({0, 1}, {&state.output->action, 1}, batch);
    ++state.step;
    state.reward = batch.rewards[0];
    state.episode_return += state.reward;
  }
  state.output.reset();
  watcher(state);
  const bool has_ended = !env.is_running(0);
  return {state.step, state.episode_return, has_ended, has_ended && env.has_solved(0)};
}

}  // namespace plr::train

#include "plr/train/watched_episode.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cassert>
#include <memory>

#include "plr/learn/policy.h"

namespace plr::train {
namespace {

// The policy's probabilities, outside the inference that samples the actions.
class Probabilities {
 public:
  explicit Probabilities(const learn::Network& network) : network_(network) {}

  // Empty if the space is not discrete.
  std::vector<float> of(const at::Tensor& obs, bool begins_episode) {
    if (!network_.shape().actions.is_discrete()) return {};
    const c10::InferenceMode inference;
    learn::Recurrence recurrence;
    if (network_.is_recurrent()) {
      const at::TensorOptions device(network_.device());
      if (!state_.defined()) state_ = at::zeros({1, network_.state_size()}, device);
      recurrence = {.state = state_,
                    .resets = at::full({1, 1}, begins_episode ? 1.0 : 0.0, device)};
    }
    const learn::Output output = network_.forward(obs, recurrence);
    state_ = output.state;
    const at::Tensor row = at::softmax(output.logits, 1).to(at::kCPU).contiguous();
    const float* data = row.const_data_ptr<float>();
    return {data, data + row.numel()};
  }

 private:
  const learn::Network& network_;
  at::Tensor state_;  // of a recurrent network
};

}  // namespace

Agent trained_agent(learn::Backend& backend, bool greedy, Random random) {
  const auto policy =
      std::make_shared<learn::Policy>(backend, learn::PolicyConfig{.greedy = greedy}, 1);
  const learn::Network& network = backend.network();
  return [&network, policy, random, probabilities = Probabilities(network)](
             std::span<const std::uint8_t> observation, bool begins_episode) mutable {
    if (begins_episode) policy->begin_episode(0);
    const at::Tensor obs = learn::view_of_obs(observation, network.shape());
    const double uniform = random.uniform();
    PolicyOutput output{.action = std::vector<Action>(network.shape().actions.size()),
                        .probabilities = probabilities.of(obs, begins_episode),
                        .value = 0.0F};
    float log_prob = 0;
    std::ranges::copy(observation, policy->observations().begin());
    policy->act({&uniform, 1}, {output.action, {&log_prob, 1}, {&*output.value, 1}, {}});
    return output;
  };
}

Agent random_agent(const ActionSpace& space, Random random) {
  return [space, random](std::span<const std::uint8_t>, bool) mutable {
    const auto count = static_cast<std::size_t>(space.num_choices());
    PolicyOutput output{
        .action = std::vector<Action>(space.size()),
        .probabilities = std::vector<float>(count, 1.0F / static_cast<float>(count)),
        .value = std::nullopt};
    draw_action(space, random, output.action);
    return output;
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
    state.output = agent(batch.observations, /*begins_episode=*/state.step == 0);
    if (!watcher(state)) return {state.step, state.episode_return};
    env.step({0, 1}, state.output->action, batch);
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

// Networks with a policy that a test prescribes.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/vector_env.h"
#include "plr/learn/torch_backend.h"

namespace plr::train {

inline learn::TorchBackend scripted(const EnvSpec& env, learn::Network::Body body,
                                    std::int64_t state_size) {
  learn::Parameters none({{"none", {1}, learn::Init::kZero, 1}}, Streams(1).named("init"),
                         at::kCPU);
  const auto [height, width, channels] = env.observation_shape;
  return learn::TorchBackend(learn::Network({height, width, channels, env.actions}, {}, 1,
                                            learn::Precision::kFp32, std::move(none),
                                            std::move(body), state_size));
}

// Takes each action with this probability, whatever it observes.
inline learn::TorchBackend with_probabilities(const EnvSpec& env,
                                              const std::vector<double>& probabilities) {
  const at::Tensor logits = at::tensor(probabilities).log().to(at::kFloat);
  return scripted(
      env,
      [logits](const at::Tensor& obs, const learn::Recurrence&) -> learn::Output {
        return {.logits = logits.expand({obs.size(0), logits.size(0)}),
                .value = at::zeros({obs.size(0), 1})};
      },
      0);
}

// Takes actions[t] at step t of an episode, and the last of them afterwards. The step is the state
// of a recurrent network.
inline learn::TorchBackend with_actions(const EnvSpec& env,
                                        const std::vector<std::int64_t>& actions) {
  const at::Tensor table = at::tensor(actions);
  const std::int64_t num_actions = env.actions.num_choices();
  return scripted(
      env,
      [table, num_actions](const at::Tensor& obs, const learn::Recurrence& recurrence) {
        const at::Tensor step =
            recurrence.state * (1 - recurrence.resets.squeeze(0).unsqueeze(1));  // [B, 1]
        const at::Tensor index = step.squeeze(1).to(at::kLong).clamp_max(table.size(0) - 1);
        const at::Tensor chosen = table.index_select(0, index).unsqueeze(1);
        const at::Tensor logits = at::full({obs.size(0), num_actions}, -1000.0);
        return learn::Output{.logits = logits.scatter(1, chosen, 0.0),
                             .value = at::zeros({obs.size(0), 1}),
                             .state = step + 1};
      },
      1);
}

}  // namespace plr::train

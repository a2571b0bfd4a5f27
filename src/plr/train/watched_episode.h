// Plays one episode step by step, for displays.
//
//   const auto agent = trained_agent(*backend, /*greedy=*/false, streams.named("play"));
//   const auto watcher = [&](const EpisodeState& state) {
//     draw(*env, state);   // slot 0 of the environment is in this state
//     return true;         // continue
//   };
//   const WatchedEpisode episode = watch_episode(*env, level, agent, {}, watcher);
//
// A trained agent that samples its actions from a stream plays the same episode as an Evaluator
// with one slot and that stream. Not thread-safe; an Agent is copyable, and a copy continues the
// same random stream.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"
#include "plr/learn/backend.h"

namespace plr::train {

// The policy's output for an observation.
struct PolicyOutput {
  std::vector<Action> action;        // the words of the chosen one
  std::vector<float> probabilities;  // of all actions of a discrete space, else empty
  std::optional<float> value;        // estimate of the return, if the agent has one
};

using Agent =
    std::function<PolicyOutput(std::span<const std::uint8_t> observation, bool begins_episode)>;

// Samples actions from the policy, or takes the most probable ones if `greedy`.
// REQUIRES: backend outlives the agent.
Agent trained_agent(learn::Backend& backend, bool greedy, Random random);

// Samples actions uniformly (draw_action() of env/spaces.h).
Agent random_agent(const ActionSpace& space, Random random);

// An episode before an action, or at its end.
struct EpisodeState {
  int step = 0;                        // actions so far
  double reward = 0;                   // of the last action
  double episode_return = 0;           // so far
  std::optional<PolicyOutput> output;  // for the observation; nothing at the end
  std::span<const std::uint8_t> observation;
};

struct WatchedEpisode {
  int length = 0;
  double episode_return = 0;
  bool has_ended = false;  // it was not stopped before its end
  bool is_solved = false;
};

// Plays in slot 0, at most `max_steps` actions if given. The watcher is called before every action
// and after the last one; false stops the episode.
// REQUIRES: env has one slot.
WatchedEpisode watch_episode(VectorEnv& env, LevelId level, const Agent& agent,
                             std::optional<int> max_steps,
                             const std::function<bool(const EpisodeState&)>& watcher);

}  // namespace plr::train

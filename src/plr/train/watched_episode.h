// How does one episode go, moment by moment?
//
//   const auto agent = trained_agent(network, /*greedy=*/false, streams.named("play"));
//   const auto look = [&](const Moment& moment) {
//     draw(*env, moment);   // the environment stands where the moment is
//     return true;          // go on
//   };
//   const WatchedEpisode episode = watch_episode(*env, level, agent, {}, look);
//
// A trained agent that draws its actions from a stream plays the episode that an Evaluator with one
// slot plays with that stream.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level.h"
#include "plr/env/vector_env.h"
#include "plr/learn/network.h"

namespace plr::train {

// What an agent makes of an observation.
struct Thought {
  Action action = 0;                 // what it does
  std::vector<float> probabilities;  // [num_actions]
  std::optional<float> value;        // the return that it expects, as far as it expects one
};

using Agent = std::function<Thought(std::span<const std::uint8_t> observation)>;

// The network must outlive it.  Draws its actions, or takes the likeliest if `greedy`.
Agent trained_agent(const learn::Network& network, bool greedy, Random random);

// Every action equally likely.
Agent random_agent(int num_actions, Random random);

struct Moment {
  int step = 0;                        // actions so far
  double reward = 0;                   // of the last one
  double episode_return = 0;           // so far
  std::optional<Thought> thought;      // about what is seen; nothing at the end
  std::span<const std::uint8_t> seen;  // the observation
};

struct WatchedEpisode {
  int length = 0;
  double episode_return = 0;
  bool has_ended = false;  // nobody stopped it before
  bool is_solved = false;
};

// Plays in slot 0 of an environment with one slot, at most `max_steps` actions if given.  The
// watcher is called at every moment, also the first and the last, and stops the episode by false.
WatchedEpisode watch_episode(VectorEnv& env, LevelId level, const Agent& agent,
                             std::optional<int> max_steps,
                             const std::function<bool(const Moment&)>& watcher);

}  // namespace plr::train

// Which actions does the agent take?
//
// Policy turns observations into actions, drawn from the network's policy by numbers of our own
// stream, so that a run repeats on any device:
//
//   Policy policy(network, {.score_function = ScoreFunction::kPolicyEntropy}, num_slots);
//   for (double& u : uniforms) u = actions_stream.uniform();
//   policy.act(rollout.take_obs(t, 0, num_slots), uniforms,
//              {rollout.actions[t], rollout.log_probs[t], rollout.values[t], terms});
//
// The smallest action whose cumulative probability exceeds u is taken.  Everything happens on the
// network's device; what it decides is written to the host's memory, where our own kernels' is
// looked out for: to be told of it by the device takes some microseconds more.
//
// Keeps a reference to the network, which must outlive it.  Not synchronized.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "plr/core/episode_scorer.h"
#include "plr/learn/network.h"
#include "plr/learn/repeated.h"

namespace plr::learn {

struct PolicyConfig {
  // Where a level's score is about the policy itself, its term of each step is computed too.
  ScoreFunction score_function = ScoreFunction::kValueL1;
  bool greedy = false;  // take the most probable action instead of drawing one
};

// The caller's arrays, one element per observation; `terms` may be empty where nobody wants them.
struct Decisions {
  std::span<std::int32_t> actions;
  std::span<float> log_probs;
  std::span<float> values;
  std::span<float> terms;
};

class Policy {
 public:
  // For at most `max_batch` observations at a time.
  Policy(const Network& network, const PolicyConfig& config, std::size_t max_batch);

  // Acts on bytes [B, H, W, C] on any device with one number of [0, 1) for each.  Throws
  // std::invalid_argument if an array's length is not B or B is above max_batch.
  void act(const at::Tensor& obs, std::span<const double> uniforms, const Decisions& out);

  // The same in two halves, between which the host can do something else: what was asked last is
  // answered.
  void ask(const at::Tensor& obs, std::span<const double> uniforms);
  void answer(const Decisions& out);
  // Whether it can be answered without waiting.
  bool is_answered();

  // The network's weights have changed since it acted last.
  void refresh();

  // The values alone, as of the observations that follow a rollout's last step.
  void answer_values(std::span<float> values);

 private:
  void check(std::size_t length, const char* name) const;
  std::span<cuda::InferenceResult> decisions() const;
  void order(const at::Tensor& obs);
  void decide(std::int64_t batch);
  void wait();

  const Network& network_;
  PolicyConfig config_;
  at::Tensor host_uniforms_;  // [max_batch] doubles, this and the next pinned with CUDA
  at::Tensor host_results_;   // [max_batch, 4] floats: cuda::InferenceResult
  at::Tensor uniforms_;       // [max_batch] doubles, this and the next on the device
  at::Tensor obs_;            // [max_batch, H, W, C] bytes
  std::map<std::int64_t, Repeated> deciding_;  // by the number of observations
  std::size_t num_asked_ = 0;
  int num_looks_ = 0;  // since it was asked
  Milestone asked_;
};

}  // namespace plr::learn

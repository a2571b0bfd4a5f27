// What does the agent think of what it sees?
//
// A Network maps observations to a policy (one logit per action) and a value (the return it
// expects):
//
//   const Network network = make_minigrid_network({14, 14, 3, 7}, {}, streams.named("init"),
//                                                 Precision::kFp32, device);
//   const auto [logits, value] = network.forward(obs);   // obs: bytes [B, H, W, C]
//
// Observations enter as bytes, as the environment wrote them, or as floats on the same scale where
// something mixed or augmented them; they are brought to the device and scaled here.  The
// architectures are in minigrid_network.h and procgen_network.h; one more needs its parameters and
// a function from scaled images to an Output, and nothing else.
//
// Movable, not copyable.  forward() may be called from several threads as long as nothing changes
// the parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>

#include "plr/learn/compute.h"
#include "plr/learn/cuda/common/inference_job.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

// What the environment asks of a network.
struct NetworkShape {
  std::int64_t height = 0;  // the first dimension of an observation in memory
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t num_actions = 0;
};

struct Output {
  at::Tensor logits;  // [B, num_actions]
  at::Tensor value;   // [B]
};

// Kernels that lead from observations to decisions without libtorch (own_kernels.h).
struct OwnActor {
  std::function<void()> refresh;                       // orders that changed weights be taken over
  std::function<void(const cuda::InferenceJob&)> act;  // orders decisions on observations
};

// What forward() gives, by kernels whose backward pass adds to the parameters' gradients itself.
// The observations are on the device.
using OwnLearner = std::function<Output(const at::Tensor& obs)>;

class Network {
 public:
  // Scaled images [B, C, H, W], channels last in memory, to logits and a value [B, 1].
  using Body = std::function<Output(const at::Tensor& images)>;

  // `scale` divides the observations: 255 for images, 1 for codes.
  Network(const NetworkShape& shape, double scale, Precision precision, Parameters parameters,
          Body body);

  // Bytes or floats [B, H, W, C] on any device; the outputs are floats on the network's device.
  // Throws std::invalid_argument if the shape does not fit.
  Output forward(const at::Tensor& obs) const;

  // How it acts, where that is not by forward(); empty functions otherwise.
  void set_actor(OwnActor actor) { actor_ = std::move(actor); }
  const OwnActor& actor() const { return actor_; }

  // How forward() computes where gradients are wanted, if not by the body.
  void set_learner(OwnLearner learner) { learner_ = std::move(learner); }

  const NetworkShape& shape() const { return shape_; }
  Precision precision() const { return precision_; }
  const Parameters& parameters() const { return parameters_; }
  at::Device device() const { return parameters_.values().device(); }

 private:
  NetworkShape shape_;
  double scale_;
  Precision precision_;
  Parameters parameters_;
  Body body_;
  OwnActor actor_;
  OwnLearner learner_;
};

// Observations [B, H, W, C] in the caller's memory as a tensor, without a copy.
at::Tensor view_of_obs(std::span<const std::uint8_t> bytes, const NetworkShape& shape);

}  // namespace plr::learn

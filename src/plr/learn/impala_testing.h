// An IMPALA network and images for tests of native kernels.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstdint>

#include "plr/learn/impala_network.h"

namespace plr::testing {

inline at::Tensor random_bytes(const learn::NetworkShape& shape, std::int64_t batch,
                               std::uint64_t bound) {
  Random random = Streams(3).named("obs");
  at::Tensor obs = at::empty({batch, shape.height, shape.width, shape.channels}, at::kByte);
  for (std::int64_t i = 0; i < obs.numel(); ++i) {
    obs.data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.below(bound));
  }
  return obs;
}

// With biases, and larger heads than at the start of training, so that policies are not uniform
// and values differ.
inline learn::Network impala(const learn::ImpalaConfig& config, learn::Precision precision,
                             at::Device device, int num_actions = 15) {
  learn::Network network = learn::make_impala_network({64, 64, 3, num_actions}, config,
                                                      Streams(7).named("init"), precision, device);
  const at::NoGradGuard no_grad;
  network.parameters()["policy.w"].detach().mul_(50);
  for (const learn::NamedTensor& t : network.parameters().views(network.parameters().values())) {
    if (t.name.ends_with(".b")) t.tensor.copy_(at::linspace(-0.1, 0.15, t.tensor.numel()));
  }
  return network;
}

}  // namespace plr::testing

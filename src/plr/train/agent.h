// Creates the network for an environment and its settings, and converts weights to and from
// safetensors bytes.
//
//   const Network network = make_network(config, env->spec(), streams.named("init"), device);
//   const std::vector<std::byte> bytes = to_bytes(ppo.state());      // a safetensors file
//   from_bytes(bytes, ppo.state());                                  // and back, in place
//
// The functions are thread-safe if no two write the same tensors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/env/vector_env.h"
#include "plr/learn/network.h"
#include "plr/learn/parameters.h"
#include "plr/train/config.h"

namespace plr::train {

learn::Network make_network(const TrainConfig& config, const EnvSpec& env, const Random& init,
                            at::Device device);

// Throws std::invalid_argument for settings that the environment's spaces do not allow: mixreg,
// drac and scores of the policy; and for normalized observations with several shards.
void check_spaces(const EnvSpec& env, const TrainConfig& config);

std::vector<std::byte> to_bytes(const std::vector<learn::NamedTensor>& tensors);

// Fills `tensors` by name. Throws std::runtime_error if one is missing or of another size, or if
// the bytes hold further tensors and `ignore_others` is false.
void from_bytes(std::span<const std::byte> bytes, const std::vector<learn::NamedTensor>& tensors,
                bool ignore_others = false);

}  // namespace plr::train

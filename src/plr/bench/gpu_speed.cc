#include "plr/bench/gpu_speed.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "plr/base/random.h"
#include "plr/bench/clock.h"
#include "plr/bench/meter.h"
#include "plr/learn/backend.h"
#include "plr/learn/policy.h"
#include "plr/learn/ppo.h"

namespace plr::bench {
namespace {

// Each inference begins when the results of the last one have arrived.
double images_per_second(learn::Backend& backend, std::int64_t batch, double seconds) {
  const auto size = static_cast<std::size_t>(batch);
  learn::Policy policy(backend, {}, size);
  Random random = Streams(1).named("observations");
  for (std::uint8_t& x : policy.observations()) x = static_cast<std::uint8_t>(random.below(11));
  const std::vector<double> uniforms(size, 0.5);
  std::vector<std::int32_t> actions(size);
  std::vector<float> log_probs(size), values(size), terms(size);
  const auto infer = [&] {
    policy.act(uniforms, {actions, log_probs, values, terms});
    return batch;
  };
  rate(wall_seconds, seconds / 4, 8, infer);
  return rate(wall_seconds, seconds, 8, infer);
}

double samples_per_second(learn::Backend& backend, const learn::Rollout& rollout,
                          const KernelMeasurement& measurement) {
  learn::Ppo ppo(backend, {.epochs = 1, .num_minibatches = measurement.num_minibatches},
                 Streams(1).named("minibatches"));
  const auto update = [&] {
    ppo.update(rollout);  // waits for the device in the end
    return measurement.num_minibatches * measurement.minibatch;
  };
  rate(wall_seconds, measurement.seconds / 4, 1, update);
  return rate(wall_seconds, measurement.seconds, 1, update);
}

}  // namespace

std::vector<learn::Kernels> distinct_kernels(const learn::Network& network) {
  std::vector<learn::Kernels> distinct;
  const auto kinds = [&](learn::Kernels kernels) {
    const auto [inference, training] = choose_kernels(network, kernels);
    return std::pair(inference.kind, training.kind);
  };
  for (const learn::Kernels kernels :
       {learn::Kernels::kAuto, learn::Kernels::kPortable, learn::Kernels::kLibtorch}) {
    const auto is_same = [&](learn::Kernels other) { return kinds(other) == kinds(kernels); };
    if (std::ranges::none_of(distinct, is_same)) distinct.push_back(kernels);
  }
  return distinct;
}

std::vector<KernelSpeed> measure_kernels(PresetNetwork network,
                                         const KernelMeasurement& measurement,
                                         learn::Precision precision, at::Device device) {
  const learn::Network first = make_network(network, precision, device);
  const learn::RolloutSize size{static_cast<std::size_t>(measurement.num_minibatches),
                                static_cast<std::size_t>(measurement.minibatch)};
  const learn::Rollout rollout = noise(size, network, first);
  std::vector<KernelSpeed> speeds;
  for (const learn::Kernels kernels : distinct_kernels(first)) {
    const std::unique_ptr<learn::Backend> backend =
        learn::make_backend(make_network(network, precision, device), kernels);
    KernelSpeed speed{.kernels = choose_kernels(first, kernels)};
    std::ranges::transform(kInferenceBatches, speed.images_per_second.begin(),
                           [&](std::int64_t batch) {
                             return images_per_second(*backend, batch, measurement.seconds);
                           });
    speed.samples_per_second = samples_per_second(*backend, rollout, measurement);
    speeds.push_back(std::move(speed));
  }
  return speeds;
}

}  // namespace plr::bench

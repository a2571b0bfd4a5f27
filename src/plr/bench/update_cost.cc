#include "plr/bench/update_cost.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "plr/base/random.h"
#include "plr/bench/clock.h"
#include "plr/bench/meter.h"
#include "plr/bench/network.h"
#include "plr/learn/backend.h"
#include "plr/learn/ppo.h"
#include "plr/learn/regularizers.h"

namespace plr::bench {
namespace {

// A method with its own optimizer and hooks.
struct Learner {
  Learner(std::string given_name, learn::Backend& backend, const learn::PpoConfig& config,
          const learn::MixregConfig& mixreg, const learn::DracConfig& drac)
      : name(std::move(given_name)),
        regularizers(mixreg, drac, backend.network().shape(), backend.network().device(),
                     Streams(1)),
        ppo(backend, config, Streams(1).named("minibatches")) {
    ppo.set_hooks(regularizers.hooks());
  }

  std::string name;
  learn::Regularizers regularizers;
  learn::Ppo ppo;
  std::vector<double> seconds = {};  // of each update
};

// Plain PPO, mixreg, and DrAC with each augmentation; a recurrent network has only the first.
std::vector<std::unique_ptr<Learner>> make_learners(learn::Backend& backend,
                                                    const learn::PpoConfig& config) {
  std::vector<std::unique_ptr<Learner>> learners;
  const auto add = [&](std::string method, const learn::MixregConfig& mixreg,
                       const learn::DracConfig& drac) {
    learners.push_back(std::make_unique<Learner>(std::move(method), backend, config, mixreg, drac));
  };
  add("ppo", {}, {});
  if (backend.network().is_recurrent()) return learners;
  add("mixreg", {.alpha = 0.01}, {});
  for (std::size_t i = 0; i < learn::kNumAugmentations; ++i) {
    const auto augmentation = static_cast<learn::Augmentation>(i);
    add("drac, " + to_text(augmentation), {}, {.enabled = true, .augmentation = augmentation});
  }
  return learners;
}

}  // namespace

std::vector<UpdateCost> update_costs(std::span<const MethodTime> times,
                                     const UpdateMeasurement& measurement) {
  std::vector<UpdateCost> costs;
  const auto add = [&](const std::string& method, double seconds) {
    const double each = seconds / measurement.num_minibatches;
    costs.push_back({.method = method,
                     .milliseconds = 1e3 * each,
                     .samples_per_second = static_cast<double>(measurement.minibatch) / each,
                     .relative = seconds / times[0].seconds});
  };
  double sum = 0;
  int num_augmentations = 0;
  for (const MethodTime& time : times) {
    add(time.method, time.seconds);
    if (!time.method.starts_with("drac")) continue;
    sum += time.seconds;
    ++num_augmentations;
  }
  if (num_augmentations > 0) add("ucb-drac (mean of these)", sum / num_augmentations);
  return costs;
}

std::vector<UpdateCost> measure_updates(PresetNetwork network, const UpdateMeasurement& measurement,
                                        const learn::ComputeConfig& compute, at::Device device) {
  const std::unique_ptr<learn::Backend> backend =
      learn::make_backend(make_network(network, compute.precision, device), compute.kernels);
  const learn::RolloutSize size{static_cast<std::size_t>(measurement.num_minibatches),
                                static_cast<std::size_t>(measurement.minibatch)};
  const learn::Rollout rollout = noise(size, network, backend->network());
  const auto learners =
      make_learners(*backend, {.epochs = 1, .num_minibatches = measurement.num_minibatches});

  // Methods are measured in rotation, so that changes of the machine's load affect all of them.
  for (int round = 0; round <= measurement.rounds; ++round) {
    for (const auto& learner : learners) {
      const double begin = wall_seconds();
      learner->ppo.update(rollout);  // waits for the device in the end
      const double passed = wall_seconds() - begin;
      if (round > 0) learner->seconds.push_back(passed);  // the first one warms up
    }
  }

  std::vector<MethodTime> times;
  for (const auto& learner : learners) times.push_back({learner->name, median(learner->seconds)});
  return update_costs(times, measurement);
}

}  // namespace plr::bench

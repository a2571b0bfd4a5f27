// plr bench update: the cost of an update with each method, relative to plain PPO.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "plr/base/fields.h"
#include "plr/learn/backend.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"
#include "plr/learn/regularizers.h"
#include "plr/train/config.h"

namespace plr::app {
namespace {

struct BenchUpdateArguments {
  std::vector<std::string> networks = {"procgen", "multiroom", "omg-medium"};
  std::string device = "auto";
  std::string precision = "auto";
  std::string kernels = "auto";
  int threads = 0;
  std::int64_t minibatch = 0;
  std::int64_t num_minibatches = 8;
  int rounds = 3;
  bool as_json = false;
};

struct Cost {
  std::string network;
  std::string method;
  double milliseconds = 0;  // of a mini-batch
  double samples_per_second = 0;
  double relative = 0;  // to plain PPO
};

// A method with its own optimizer and hooks.
struct Learner {
  Learner(const std::string& given_name, learn::Backend& backend, const learn::PpoConfig& config,
          const learn::MixregConfig& mixreg, const learn::DracConfig& drac)
      : name(given_name),
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

learn::Network make_network(const std::string& name, const learn::ComputeConfig& compute,
                            at::Device device) {
  const Random init = Streams(1).named("init");
  if (name == "procgen") {
    return learn::make_impala_network({64, 64, 3, 15}, {}, init, compute.precision, device);
  }
  if (name == "multiroom" || name == "omg-medium") {
    const bool is_small = name == "multiroom";
    const learn::GridCnnConfig config = train::preset("minigrid-" + name).network.grid_cnn;
    const std::int64_t side = is_small ? 14 : 19;
    return learn::make_grid_cnn_network({side, side, 3, 7}, config, init, compute.precision,
                                        device);
  }
  throw std::invalid_argument(
      fmt::format("--network must be procgen, multiroom or omg-medium, not {}", name));
}

// A rollout of random observations, which cost the same as real ones.
learn::Rollout noise(const learn::RolloutSize& size, const learn::Network& network, int num_codes) {
  Random random = Streams(1).named("noise");
  const auto uniform = [&] { return static_cast<float>(random.uniform()); };
  learn::Rollout rollout(size, network.shape(), network.device());
  for (std::uint8_t& x : rollout.host_obs()) x = static_cast<std::uint8_t>(random.below(num_codes));
  for (std::size_t t = 0; t <= size.num_steps; ++t) rollout.take_obs(t, 0, size.num_slots);
  const auto actions = static_cast<std::uint64_t>(network.shape().num_actions);
  for (std::int32_t& a : rollout.actions.all())
    a = static_cast<std::int32_t>(random.below(actions));
  for (float& x : rollout.log_probs.all()) x = -2;
  for (float& x : rollout.values.all()) x = uniform();
  for (float& x : rollout.rewards.all()) x = uniform();
  learn::compute_advantages(rollout, 0.999, 0.95);
  return rollout;
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// Methods are measured in rotation, so that changes of the machine's load affect all of them.
std::vector<Cost> measured(const std::string& name, const BenchUpdateArguments& arguments,
                           const learn::ComputeConfig& compute, at::Device device) {
  const std::unique_ptr<learn::Backend> backend =
      learn::make_backend(make_network(name, compute, device), compute.kernels);
  const learn::RolloutSize size{static_cast<std::size_t>(arguments.num_minibatches),
                                static_cast<std::size_t>(arguments.minibatch)};
  const learn::Rollout rollout = noise(size, backend->network(), name == "procgen" ? 256 : 11);
  const learn::PpoConfig config{.epochs = 1,
                                .num_minibatches = static_cast<int>(arguments.num_minibatches)};

  std::vector<std::unique_ptr<Learner>> learners;
  const auto add = [&](const std::string& method, const learn::MixregConfig& mixreg,
                       const learn::DracConfig& drac) {
    learners.push_back(std::make_unique<Learner>(method, *backend, config, mixreg, drac));
  };
  add("ppo", {}, {});
  add("mixreg", {.alpha = 0.01}, {});
  for (std::size_t i = 0; i < learn::kNumAugmentations; ++i) {
    const auto augmentation = static_cast<learn::Augmentation>(i);
    add("drac, " + to_text(augmentation), {}, {.enabled = true, .augmentation = augmentation});
  }

  for (int round = 0; round <= arguments.rounds; ++round) {
    for (const auto& learner : learners) {
      const auto begin = std::chrono::steady_clock::now();
      learner->ppo.update(rollout);  // waits for the device in the end
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (round > 0) learner->seconds.push_back(passed.count());  // the first one warms up
    }
  }

  std::vector<Cost> costs;
  const double plain = median(learners[0]->seconds);
  const auto add_cost = [&](const std::string& method, double seconds) {
    const double each = seconds / static_cast<double>(arguments.num_minibatches);
    costs.push_back({name, method, 1e3 * each, static_cast<double>(arguments.minibatch) / each,
                     seconds / plain});
  };
  double all_augmentations = 0;
  for (const auto& learner : learners) {
    const double seconds = median(learner->seconds);
    if (learner->name.starts_with("drac")) all_augmentations += seconds;
    add_cost(learner->name, seconds);
  }
  // The cost of a bandit that tries each augmentation equally often.
  add_cost("ucb-drac (mean of these)", all_augmentations / learn::kNumAugmentations);
  return costs;
}

void print_json(const std::vector<Cost>& costs, const BenchUpdateArguments& arguments,
                const learn::ComputeConfig& compute) {
  nlohmann::ordered_json all = {{"device", compute.device},
                                {"precision", to_text(compute.precision)},
                                {"kernels", to_text(compute.kernels)},
                                {"threads", compute.num_threads},
                                {"minibatch", arguments.minibatch},
                                {"minibatches", arguments.num_minibatches},
                                {"rounds", arguments.rounds},
                                {"costs", nlohmann::ordered_json::array()}};
  for (const Cost& cost : costs) {
    all["costs"].push_back({{"network", cost.network},
                            {"method", cost.method},
                            {"milliseconds", cost.milliseconds},
                            {"samples_per_second", cost.samples_per_second},
                            {"relative", cost.relative}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_table(const std::vector<Cost>& costs, const BenchUpdateArguments& arguments,
                 const learn::ComputeConfig& compute) {
  fmt::print(
      "mini-batches of {} on {} ({}, kernels {}, {} threads), medians of {} rounds of {}\n\n",
      arguments.minibatch, compute.device, to_text(compute.precision), to_text(compute.kernels),
      compute.num_threads, arguments.rounds, arguments.num_minibatches);
  fmt::print("{:<12}{:<28}{:>15}{:>12}{:>14}\n", "network", "method", "ms/mini-batch", "samples/s",
             "relative");
  for (const Cost& cost : costs) {
    fmt::print("{:<12}{:<28}{:>15.3f}{:>12.0f}{:>14.2f}\n", cost.network, cost.method,
               cost.milliseconds, cost.samples_per_second, cost.relative);
  }
}

void bench_update(BenchUpdateArguments arguments) {
  learn::ComputeConfig compute{.device = arguments.device, .num_threads = arguments.threads};
  parse_value("--precision", arguments.precision, compute.precision);
  parse_value("--kernels", arguments.kernels, compute.kernels);
  compute = learn::resolve_auto(compute);
  const at::Device device = configure(compute);
  // That of the paper, or a size that a CPU processes in a reasonable time.
  if (arguments.minibatch == 0) arguments.minibatch = device.is_cuda() ? 2048 : 64;
  check_value("--minibatch", arguments.minibatch, at_least(1));
  check_value("--minibatches", arguments.num_minibatches, at_least(1));
  check_value("--rounds", arguments.rounds, at_least(1));
  std::vector<Cost> costs;
  for (const std::string& network : arguments.networks) {
    for (Cost& cost : measured(network, arguments, compute, device)) {
      costs.push_back(std::move(cost));
    }
  }
  arguments.as_json ? print_json(costs, arguments, compute)
                    : print_table(costs, arguments, compute);
}

}  // namespace

void add_bench_update(CLI::App& bench) {
  auto arguments = std::make_shared<BenchUpdateArguments>();
  CLI::App* verb = bench.add_subcommand(
      "update", "the cost of mixreg and DrAC in an update, relative to plain PPO");
  verb->add_option("--network", arguments->networks, "procgen, multiroom, omg-medium; default: all")
      ->type_name("NAME...");
  verb->add_option("--device", arguments->device, "auto, cpu or cuda")->capture_default_str();
  verb->add_option("--precision", arguments->precision, "auto, fp32, tf32 or bf16")
      ->capture_default_str();
  verb->add_option("--kernels", arguments->kernels, "on CUDA: auto, libtorch or native")
      ->capture_default_str();
  verb->add_option("--threads", arguments->threads, "threads of libtorch; 0: one per core")
      ->capture_default_str();
  verb->add_option("--minibatch", arguments->minibatch,
                   "samples in a mini-batch; 0: 2048 on CUDA, 64 on the CPU")
      ->capture_default_str();
  verb->add_option("--minibatches", arguments->num_minibatches, "mini-batches per update")
      ->capture_default_str();
  verb->add_option("--rounds", arguments->rounds, "updates of each method, after one warm-up")
      ->capture_default_str();
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] { bench_update(*arguments); });
}

}  // namespace plr::app

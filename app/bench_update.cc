// plr bench update: the cost of an update with each method, relative to plain PPO.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/bench.h"
#include "plr/base/fields.h"
#include "plr/bench/update_cost.h"
#include "plr/learn/compute.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

struct BenchUpdateArguments {
  std::vector<std::string> networks = {"procgen", "multiroom", "omg-medium", "maze"};
  std::string device = "auto";
  std::string precision = "auto";
  std::string kernels = "auto";
  int threads = 0;
  bench::UpdateMeasurement measurement = {.minibatch = 0};
  bool as_json = false;
};

// One row of the output.
struct Measured {
  bench::PresetNetwork network = {};
  bench::UpdateCost cost;
};

void print_json(const std::vector<Measured>& rows, const bench::UpdateMeasurement& measurement,
                const learn::ComputeConfig& compute) {
  nlohmann::ordered_json all = {{"device", compute.device},
                                {"precision", to_text(compute.precision)},
                                {"kernels", to_text(compute.kernels)},
                                {"threads", compute.num_threads},
                                {"minibatch", measurement.minibatch},
                                {"minibatches", measurement.num_minibatches},
                                {"rounds", measurement.rounds},
                                {"costs", nlohmann::ordered_json::array()}};
  for (const auto& [network, cost] : rows) {
    all["costs"].push_back({{"network", to_text(network)},
                            {"method", cost.method},
                            {"milliseconds", cost.milliseconds},
                            {"samples_per_second", cost.samples_per_second},
                            {"relative", cost.relative}});
  }
  terminal::print("{}\n", all.dump(2));
}

void print_table(const std::vector<Measured>& rows, const bench::UpdateMeasurement& measurement,
                 const learn::ComputeConfig& compute) {
  terminal::print(
      "mini-batches of {} on {} ({}, kernels {}, {} threads), medians of {} rounds of {}\n\n",
      measurement.minibatch, compute.device, to_text(compute.precision), to_text(compute.kernels),
      compute.num_threads, measurement.rounds, measurement.num_minibatches);
  terminal::print("{:<12}{:<28}{:>15}{:>12}{:>14}\n", "network", "method", "ms/mini-batch",
                  "samples/s", "relative");
  for (const auto& [network, cost] : rows) {
    terminal::print("{:<12}{:<28}{:>15.3f}{:>12.0f}{:>14.2f}\n", to_text(network), cost.method,
                    cost.milliseconds, cost.samples_per_second, cost.relative);
  }
}

void bench_update(const BenchUpdateArguments& arguments) {
  std::vector<bench::PresetNetwork> networks;
  for (const std::string& name : arguments.networks) {
    networks.push_back(enum_from<bench::PresetNetwork>("--network", name));
  }
  learn::ComputeConfig compute{.device = arguments.device, .num_threads = arguments.threads};
  parse_value("--precision", arguments.precision, compute.precision);
  parse_value("--kernels", arguments.kernels, compute.kernels);
  compute = learn::resolve_auto(compute);
  const at::Device device = configure(compute);
  bench::UpdateMeasurement measurement = arguments.measurement;
  // That of the paper, or a size that a CPU processes in a reasonable time.
  if (measurement.minibatch == 0) measurement.minibatch = device.is_cuda() ? 2048 : 64;
  check_value("--minibatch", measurement.minibatch, at_least(1));
  check_value("--minibatches", measurement.num_minibatches, at_least(1));
  check_value("--rounds", measurement.rounds, at_least(1));
  std::vector<Measured> rows;
  for (const bench::PresetNetwork network : networks) {
    for (bench::UpdateCost& cost : bench::measure_updates(network, measurement, compute, device)) {
      rows.push_back({network, std::move(cost)});
    }
  }
  arguments.as_json ? print_json(rows, measurement, compute)
                    : print_table(rows, measurement, compute);
}

}  // namespace

void add_bench_update(CLI::App& bench) {
  auto arguments = std::make_shared<BenchUpdateArguments>();
  CLI::App* verb = bench.add_subcommand(
      "update", "the cost of mixreg and DrAC in an update, relative to plain PPO");
  verb->add_option("--network", arguments->networks,
                   "procgen, multiroom, omg-medium, maze; default: all")
      ->type_name("NAME...");
  verb->add_option("--device", arguments->device, "auto, cpu or cuda")->capture_default_str();
  verb->add_option("--precision", arguments->precision, "auto, fp32, tf32 or bf16")
      ->capture_default_str();
  verb->add_option("--kernels", arguments->kernels, "on CUDA: auto, libtorch, native or portable")
      ->capture_default_str();
  verb->add_option("--threads", arguments->threads, "threads of libtorch; 0: one per free CPU")
      ->capture_default_str();
  verb->add_option("--minibatch", arguments->measurement.minibatch,
                   "samples in a mini-batch; 0: 2048 on CUDA, 64 on the CPU")
      ->capture_default_str();
  verb->add_option("--minibatches", arguments->measurement.num_minibatches,
                   "mini-batches per update")
      ->capture_default_str();
  verb->add_option("--rounds", arguments->measurement.rounds,
                   "updates of each method, after one warm-up")
      ->capture_default_str();
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] { bench_update(*arguments); });
}

}  // namespace plr::app

// plr bench gpu: which kernels compute each network on this GPU and why, and how fast they are.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/bench.h"
#include "plr/base/fields.h"
#include "plr/bench/gpu_speed.h"
#include "plr/learn/compute.h"
#include "plr/learn/cuda_backend.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

struct BenchGpuArguments {
  std::vector<std::string> networks = {"procgen", "multiroom", "omg-medium", "maze"};
  std::string device = "cuda";
  std::string precision = "auto";
  bool measure = false;
  double seconds = 0.5;
};

void print_choices(const std::vector<bench::PresetNetwork>& networks, learn::Precision precision,
                   at::Device device) {
  terminal::print("{:<12}{:<12}{:<20}{}\n", "network", "part", "kernels", "reason");
  for (const bench::PresetNetwork name : networks) {
    const learn::Network network = bench::make_network(name, precision, device);
    const auto [inference, training] = choose_kernels(network, learn::Kernels::kAuto);
    for (const auto& [part, choice] :
         {std::pair("inference", inference), std::pair("training", training)}) {
      terminal::print("{:<12}{:<12}{:<20}{}\n", to_text(name), part, to_text(choice.kind),
                      choice.reason);
    }
  }
}

void print_speeds(const std::vector<bench::PresetNetwork>& networks, double seconds,
                  learn::Precision precision, at::Device device) {
  const bench::KernelMeasurement measurement = {.seconds = seconds};
  terminal::print("\n{:<12}{:<20}{:<20}", "network", "inference", "training");
  for (const std::int64_t batch : bench::kInferenceBatches) {
    terminal::print("{:>14}", fmt::format("images/s, {}", batch));
  }
  terminal::print("{:>18}\n", fmt::format("samples/s, {}", measurement.minibatch));
  for (const bench::PresetNetwork network : networks) {
    for (const auto& speed : measure_kernels(network, measurement, precision, device)) {
      terminal::print("{:<12}{:<20}{:<20}", to_text(network), to_text(speed.kernels.inference.kind),
                      to_text(speed.kernels.training.kind));
      for (const double images : speed.images_per_second) terminal::print("{:>14.0f}", images);
      terminal::print("{:>18.0f}\n", speed.samples_per_second);
    }
  }
}

void bench_gpu(const BenchGpuArguments& arguments) {
  learn::ComputeConfig compute{.device = arguments.device};
  parse_value("--precision", arguments.precision, compute.precision);
  check_value("--seconds", arguments.seconds, above_to(0, 600));
  std::vector<bench::PresetNetwork> networks;
  for (const std::string& name : arguments.networks) {
    networks.push_back(enum_from<bench::PresetNetwork>("--network", name));
  }
  compute = learn::resolve_auto(compute);
  const at::Device device = configure(compute);
  terminal::print("{}, precision {}\n\n", device.is_cuda() ? learn::gpu_text(device) : "CPU",
                  to_text(compute.precision));
  print_choices(networks, compute.precision, device);
  if (arguments.measure) print_speeds(networks, arguments.seconds, compute.precision, device);
}

}  // namespace

void add_bench_gpu(CLI::App& bench) {
  auto arguments = std::make_shared<BenchGpuArguments>();
  CLI::App* verb = bench.add_subcommand(
      "gpu", "which kernels compute each network on this GPU and why, and how fast they are");
  verb->add_option("--network", arguments->networks,
                   "procgen, multiroom, omg-medium, maze; default: all")
      ->type_name("NAME...");
  verb->add_option("--device", arguments->device, "cuda, cuda:1 or cpu")->capture_default_str();
  verb->add_option("--precision", arguments->precision, "auto, fp32, tf32 or bf16")
      ->capture_default_str();
  verb->add_flag("--measure", arguments->measure,
                 "measure inference and mini-batch steps by every kind of kernels");
  verb->add_option("--seconds", arguments->seconds, "duration of each measurement")
      ->capture_default_str();
  verb->callback([arguments] { bench_gpu(*arguments); });
}

}  // namespace plr::app

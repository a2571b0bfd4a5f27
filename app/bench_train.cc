// plr bench train: training steps per second, and the share of time of each part.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "app/procgen_setup.h"
#include "app/ranks.h"
#include "plr/base/fields.h"
#include "plr/bench/train_speed.h"
#include "plr/distributed/world.h"
#include "plr/run/settings_file.h"
#include "plr/terminal/print.h"
#include "plr/train/config.h"

namespace plr::app {
namespace {

struct BenchTrainArguments {
  std::string preset = "minigrid-multiroom";
  std::string device = "auto";
  std::string precision = "auto";
  int threads = 0;
  int updates = 5;
  std::vector<std::string> settings;  // NAME=VALUE
  bool as_json = false;
};

train::TrainConfig config_of(const BenchTrainArguments& arguments) {
  train::TrainConfig config = train::preset(arguments.preset);
  train::set(config, "device", arguments.device);
  train::set(config, "precision", arguments.precision);
  train::set(config, "threads", std::to_string(arguments.threads));
  for (const std::string& text : arguments.settings) {
    const run::Setting setting = run::parse_assignment("--set", text);
    train::set(config, setting.name, setting.value);
  }
  if (!config.task.plugin.empty()) train::set_plugin(config.task, config.task.plugin);
  return config;
}

void print_json(const std::string& preset, const train::TrainConfig& config,
                const bench::TrainSpeed& speed, int num_ranks) {
  const nlohmann::ordered_json result = {{"preset", preset},
                                         {"env", config.task.env},
                                         {"device", config.compute.device},
                                         {"precision", to_text(config.compute.precision)},
                                         {"threads", config.compute.num_threads},
                                         {"ranks", num_ranks},
                                         {"shards", config.schedule.shards},
                                         {"steps", speed.steps},
                                         {"steps_per_second", speed.steps_per_second},
                                         {"acting", speed.acting},
                                         {"environment", speed.environment},
                                         {"sampler", speed.sampler},
                                         {"update", speed.update},
                                         {"rest", speed.rest},
                                         {"exchange", speed.exchange}};
  terminal::print("{}\n", result.dump(2));
}

void print_table(const std::string& preset, const train::TrainConfig& config,
                 const bench::TrainSpeed& speed, int num_ranks) {
  terminal::print("{}, {} on {} ({}, {} threads): {:.0f} steps/s\n", preset, config.task.env,
                  config.compute.device, to_text(config.compute.precision),
                  config.compute.num_threads, speed.steps_per_second);
  if (num_ranks > 1) {
    terminal::print("{} ranks, {} shards: {:.0f} steps/s per rank; parts of rank 0:\n", num_ranks,
                    config.schedule.shards, speed.steps_per_second / num_ranks);
  }
  terminal::print("\n");
  const auto print_share = [](const char* part, double share, const char* what) {
    terminal::print("{:<12} {:>6.2f} %   {}\n", part, 100 * share, what);
  };
  print_share("acting", speed.acting, "inference");
  print_share("environment", speed.environment, "steps and level starts");
  print_share("sampler", speed.sampler, "scoring, recording and sampling levels");
  print_share("update", speed.update, "PPO updates");
  print_share("rest", speed.rest, "advantages, logs and the rest");
  if (num_ranks > 1) {
    print_share("exchange", speed.exchange, "of these: gradients and states of other ranks");
  }
}

void bench_train(const BenchTrainArguments& arguments, const distributed::Launch& launch) {
  check_value("--updates", arguments.updates, at_least(1));
  train::TrainConfig config = config_of(arguments);
  prepare_procgen(config.task.env);
  const auto world = distributed::World::join(launch);
  const bench::TrainSpeed speed = bench::measure_training(arguments.updates, config, world);
  if (launch.rank > 0) return;
  (arguments.as_json ? print_json : print_table)(arguments.preset, config, speed, launch.size);
}

}  // namespace

void add_bench_train(CLI::App& bench) {
  auto arguments = std::make_shared<BenchTrainArguments>();
  CLI::App* verb =
      bench.add_subcommand("train", "training steps per second, and where the time is spent");
  verb->add_option("--preset", arguments->preset, "preset of plr train")->capture_default_str();
  verb->add_option("--device", arguments->device, "auto, cpu or cuda")->capture_default_str();
  verb->add_option("--precision", arguments->precision, "auto, fp32, tf32 or bf16")
      ->capture_default_str();
  verb->add_option("--threads", arguments->threads, "threads of libtorch; 0: one per free CPU")
      ->capture_default_str();
  verb->add_option("--updates", arguments->updates, "updates to measure, after one warm-up")
      ->capture_default_str();
  verb->add_option("--set", arguments->settings,
                   "other settings of plr train, such as env=procgen/maze");
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] {
    run_as_rank("plr bench train",
                [&](const distributed::Launch& launch) { bench_train(*arguments, launch); });
  });
}

}  // namespace plr::app

// plr bench train: training steps per second, and the share of time of each part.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "app/procgen_setup.h"
#include "plr/base/fields.h"
#include "plr/train/config.h"
#include "plr/train/trainer.h"

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

// Trains for a few updates in a temporary folder.
nlohmann::ordered_json measured(const BenchTrainArguments& arguments) {
  train::TrainConfig config = train::preset(arguments.preset);
  train::set(config, "device", arguments.device);
  train::set(config, "precision", arguments.precision);
  train::set(config, "threads", std::to_string(arguments.threads));
  for (const std::string& setting : arguments.settings) {
    const std::size_t sign = setting.find('=');
    if (sign == std::string::npos) {
      throw std::invalid_argument("--set must be NAME=VALUE, not " + setting);
    }
    train::set(config, setting.substr(0, sign), setting.substr(sign + 1));
  }
  prepare_procgen(config.task.env);
  const std::int64_t batch = train::steps_per_update(config);
  config.schedule.steps = batch * (arguments.updates + 1);  // the first one warms up
  config.schedule.eval_interval = 0;
  config.schedule.final_episodes = 1;
  config.schedule.levels_interval = 1 << 20;
  config.schedule.checkpoint_interval = 1 << 20;

  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("plr-bench-{}", getpid());
  train::TrainTimes warm;
  train::TrainTimes end;
  {
    train::Trainer trainer(config, folder);
    config = trainer.config();
    trainer.run({.updated = [&](const train::Progress& p) {
      if (p.update == 1) warm = trainer.times();
      if (p.update == p.num_updates) end = trainer.times();
    }});
  }
  std::filesystem::remove_all(folder);

  const double seconds = end.total - warm.total;
  const auto share = [&](double train::TrainTimes::* part) {
    return (end.*part - warm.*part) / seconds;
  };
  nlohmann::ordered_json result = {
      {"preset", arguments.preset},
      {"env", config.task.env},
      {"device", config.compute.device},
      {"precision", to_text(config.compute.precision)},
      {"threads", config.compute.num_threads},
      {"steps", batch * arguments.updates},
      {"steps_per_second", static_cast<double>(batch * arguments.updates) / seconds},
      {"acting", share(&train::TrainTimes::acting)},
      {"environment", share(&train::TrainTimes::environment)},
      {"sampler", share(&train::TrainTimes::sampler)},
      {"update", share(&train::TrainTimes::update)}};
  result["rest"] = 1 - result.at("acting").get<double>() - result.at("environment").get<double>() -
                   result.at("sampler").get<double>() - result.at("update").get<double>();
  return result;
}

void bench_train(const BenchTrainArguments& arguments) {
  check_value("--updates", arguments.updates, at_least(1));
  const nlohmann::ordered_json result = measured(arguments);
  if (arguments.as_json) {
    fmt::print("{}\n", result.dump(2));
    return;
  }
  fmt::print("{}, {} on {} ({}, {} threads): {:.0f} steps/s\n\n", arguments.preset,
             result.at("env").get<std::string>(), result.at("device").get<std::string>(),
             result.at("precision").get<std::string>(), result.at("threads").get<int>(),
             result.at("steps_per_second").get<double>());
  for (const auto& [part, what] :
       {std::pair{"acting", "inference"}, std::pair{"environment", "steps and level starts"},
        std::pair{"sampler", "scoring, recording and sampling levels"},
        std::pair{"update", "PPO updates"}, std::pair{"rest", "advantages, logs and the rest"}}) {
    fmt::print("{:<12} {:>6.2f} %   {}\n", part, 100 * result.at(part).get<double>(), what);
  }
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
  verb->add_option("--threads", arguments->threads, "threads of libtorch; 0: one per core")
      ->capture_default_str();
  verb->add_option("--updates", arguments->updates, "updates to measure, after one warm-up")
      ->capture_default_str();
  verb->add_option("--set", arguments->settings,
                   "other settings of plr train, such as env=procgen/maze");
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] { bench_train(*arguments); });
}

}  // namespace plr::app

// plr bench: measures speed on this machine; `env` is in this file.
#include "app/bench.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/plugin_option.h"
#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/bench/env_speed.h"
#include "plr/catalog/make_env.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

struct BenchEnvArguments {
  std::vector<std::string> envs = {"minigrid/MultiRoom-N4-Random",
                                   "minigrid/ObstructedMazeGamut-Medium"};
  int num_slots = 64;
  double seconds = 1;
  bool as_json = false;
};

// One row of the output.
struct Measured {
  std::string env;
  Observation observation = Observation::kFull;
  bench::EnvSpeed speed;
};

void print_json(const std::vector<Measured>& rows, const BenchEnvArguments& arguments) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& [env, observation, speed] : rows) {
    all.push_back({{"env", env},
                   {"observation", to_text(observation)},
                   {"num_slots", arguments.num_slots},
                   {"steps_per_second", speed.steps_per_second},
                   {"microseconds_per_start", speed.microseconds_per_start},
                   {"microseconds_per_start_again", speed.microseconds_per_start_again},
                   {"steps_per_episode", speed.steps_per_episode}});
  }
  terminal::print("{}\n", all.dump(2));
}

void print_table(const std::vector<Measured>& rows, const BenchEnvArguments& arguments) {
  terminal::print(
      "steps per second of CPU time on one core, {} slots, random actions, level starts "
      "included\n\n",
      arguments.num_slots);
  terminal::print("{:<50}{:<12}{:>14}{:>12}{:>12}{:>15}\n", "environment", "observation", "steps/s",
                  "start, us", "again, us", "steps/episode");
  for (const auto& [env, observation, speed] : rows) {
    terminal::print("{:<50}{:<12}{:>12.2f} M{:>12.2f}{:>12.2f}{:>15.1f}\n", env,
                    to_text(observation), speed.steps_per_second / 1e6,
                    speed.microseconds_per_start, speed.microseconds_per_start_again,
                    speed.steps_per_episode);
  }
}

void bench_env(const BenchEnvArguments& arguments) {
  check_value("--seconds", arguments.seconds, above_to(0, 600));
  std::vector<Measured> rows;
  for (const std::string& name : arguments.envs) {
    catalog::check_env_name(name);
    prepare_procgen(name);
    const Family& family = *catalog::find_family(name);
    for (const Observation observation : family.observations) {
      const auto env = catalog::make_env(
          name, {.num_slots = arguments.num_slots, .num_workers = 1, .observation = observation});
      rows.push_back({name, observation,
                      bench::measure_env(*env, {.num_levels = family.num_training_levels,
                                                .seconds = arguments.seconds})});
    }
  }
  arguments.as_json ? print_json(rows, arguments) : print_table(rows, arguments);
}

}  // namespace

void add_bench(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("bench", "measure speed on this machine");
  verb->group("Measure");
  verb->require_subcommand(1);

  const auto arguments = std::make_shared<BenchEnvArguments>();
  CLI::App* env = verb->add_subcommand("env", "steps per second and the cost of starting a level");
  env->add_option("--env", arguments->envs, "environments to measure (two of the paper)")
      ->type_name("NAME...");
  add_plugin_option(*env);
  env->add_option("--num-slots", arguments->num_slots, "slots, played in parallel (64)")
      ->type_name("N");
  env->add_option("--seconds", arguments->seconds, "duration of each measurement (1)")
      ->type_name("S");
  env->add_flag("--json", arguments->as_json, "print JSON");
  env->callback([arguments] { bench_env(*arguments); });
  add_bench_procgen(*verb);
  add_bench_gpu(*verb);
  add_bench_train(*verb);
  add_bench_update(*verb);
}

}  // namespace plr::app

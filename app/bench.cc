// plr bench: measures speed on this machine; `env` is in this file.
#include "app/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/env/random_play.h"

namespace plr::app {
namespace {

struct BenchEnvArguments {
  std::vector<std::string> envs = {"minigrid/MultiRoom-N4-Random",
                                   "minigrid/ObstructedMazeGamut-Medium"};
  int num_slots = 64;
  double seconds = 1;
  bool as_json = false;
};

constexpr LevelId kNeverPlayed = 1'000'000'000;

struct Speed {
  std::string env;
  Observation observation = Observation::kFull;
  double steps_per_second = 0;
  double microseconds_per_start = 0;        // of a new level
  double microseconds_per_start_again = 0;  // of a level that was played before
  double steps_per_episode = 0;
};

// CPU time of this process, which other programs do not affect.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Calls `act` repeatedly for about `seconds`; returns the seconds per call.
template <class Act>
double seconds_per_call(Act act, double seconds) {
  const double begin = cpu_seconds();
  std::int64_t calls = 0;
  double passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < 64; ++i) act();
    calls += 64;
    passed = cpu_seconds() - begin;
  }
  return passed / static_cast<double>(calls);
}

Speed measure(const std::string& name, const BenchEnvArguments& arguments,
              Observation observation) {
  prepare_procgen(name);
  const auto env = catalog::make_env(
      name, {.num_slots = arguments.num_slots, .num_workers = 1, .observation = observation});
  RandomPlay play(*env, 1);
  seconds_per_call([&] { play.step(); }, 0.1 * arguments.seconds);  // warms up
  const double per_step = seconds_per_call([&] { play.step(); }, arguments.seconds);
  const StepBatch batch = play.batch();
  const auto start = [&](LevelId level) {
    const Start one = {static_cast<int>(level % env->spec().num_slots), level};
    env->start({&one, 1}, batch);
  };
  LevelId level = kNeverPlayed;
  const double per_start = seconds_per_call([&] { start(level++); }, 0.3 * arguments.seconds);
  const LevelId num_levels = catalog::find_family(name)->num_training_levels;
  for (level = 0; level < 2 * num_levels; ++level) start(level % num_levels);
  const double per_start_again =
      seconds_per_call([&] { start(level++ % num_levels); }, 0.3 * arguments.seconds);
  const auto episodes = static_cast<double>(std::max<std::int64_t>(1, play.num_episodes()));
  return {.env = name,
          .observation = observation,
          .steps_per_second = env->spec().num_slots / per_step,
          .microseconds_per_start = 1e6 * per_start,
          .microseconds_per_start_again = 1e6 * per_start_again,
          .steps_per_episode = static_cast<double>(play.num_steps()) / episodes};
}

void print_json(const std::vector<Speed>& speeds, const BenchEnvArguments& arguments) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Speed& speed : speeds) {
    all.push_back({{"env", speed.env},
                   {"observation", to_text(speed.observation)},
                   {"num_slots", arguments.num_slots},
                   {"steps_per_second", speed.steps_per_second},
                   {"microseconds_per_start", speed.microseconds_per_start},
                   {"microseconds_per_start_again", speed.microseconds_per_start_again},
                   {"steps_per_episode", speed.steps_per_episode}});
  }
  fmt::print("{}\n", all.dump(2));
}

void print_table(const std::vector<Speed>& speeds, const BenchEnvArguments& arguments) {
  fmt::print(
      "steps per second of CPU time on one core, {} slots, random actions, level starts "
      "included\n\n",
      arguments.num_slots);
  fmt::print("{:<50}{:<12}{:>14}{:>12}{:>12}{:>15}\n", "environment", "observation", "steps/s",
             "start, us", "again, us", "steps/episode");
  for (const Speed& speed : speeds) {
    fmt::print("{:<50}{:<12}{:>12.2f} M{:>12.2f}{:>12.2f}{:>15.1f}\n", speed.env,
               to_text(speed.observation), speed.steps_per_second / 1e6,
               speed.microseconds_per_start, speed.microseconds_per_start_again,
               speed.steps_per_episode);
  }
}

void bench_env(const BenchEnvArguments& arguments) {
  check_value("--seconds", arguments.seconds, above_to(0, 600));
  std::vector<Speed> speeds;
  for (const std::string& name : arguments.envs) {
    catalog::check_env_name(name);
    for (const Observation observation : catalog::find_family(name)->observations) {
      speeds.push_back(measure(name, arguments, observation));
    }
  }
  arguments.as_json ? print_json(speeds, arguments) : print_table(speeds, arguments);
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
  env->add_option("--num-slots", arguments->num_slots, "slots, played in parallel (64)")
      ->type_name("N");
  env->add_option("--seconds", arguments->seconds, "duration of each measurement (1)")
      ->type_name("S");
  env->add_flag("--json", arguments->as_json, "print JSON");
  env->callback([arguments] { bench_env(*arguments); });
  add_bench_procgen(*verb);
#ifdef PLR_WITH_TORCH
  add_bench_train(*verb);
  add_bench_update(*verb);
#endif
}

}  // namespace plr::app

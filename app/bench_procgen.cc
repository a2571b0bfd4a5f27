// plr bench procgen: speed relative to Procgen's own library, on one core and on several.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "app/procgen_setup.h"
#include "plr/base/fields.h"
#include "plr/bench/procgen_speed.h"
#include "plr/env/worker_pool.h"
#include "plr/procgen/games.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

using procgen::Variant;

struct BenchProcgenArguments {
  std::vector<std::string> envs;  // empty: all games in easy mode
  int num_slots = 64;
  int num_workers = 0;
  double seconds = 1;
  bool as_json = false;
};

std::vector<Variant> wanted_variants(const std::vector<std::string>& names) {
  std::vector<Variant> wanted;
  for (const Variant& variant : procgen::variants()) {
    if (names.empty() && variant.mode == procgen::Mode::kEasy) wanted.push_back(variant);
  }
  for (const std::string& name : names) {
    const auto variant = procgen::find_variant(name);
    if (!variant) {
      throw std::invalid_argument(fmt::format(
          "--env must be an environment of Procgen, such as procgen/bigfish, not '{}'", name));
    }
    wanted.push_back(*variant);
  }
  return wanted;
}

nlohmann::ordered_json json_of(const Variant& variant, int num_slots, int num_workers,
                               const bench::ProcgenSpeed& speed) {
  return {{"env", variant.env_name()},
          {"num_slots", num_slots},
          {"num_workers", num_workers},
          {"library_steps_per_second", speed.library},
          {"one_worker_steps_per_second_without_starts", speed.steps_only},
          {"one_worker_steps_per_second", speed.one_worker},
          {"steps_per_second", speed.lockstep},
          {"library_steps_per_second_in_free_threads", speed.free_library},
          {"microseconds_per_start", speed.start}};
}

void print_header(int num_slots, int num_workers) {
  terminal::print(
      "steps/s, {} slots, random actions\n"
      "one core, CPU time      library: Procgen's own, one level per slot; steps: ours without "
      "level starts; all: ours with them\n"
      "{} workers, wall time  lockstep: all slots step together; bound: raw library, {} threads\n\n"
      "{:<22}{:>9}{:>9}{:>6}{:>9}{:>6}{:>10}{:>10}{:>6}{:>10}{:>6}\n",
      num_slots, num_workers, num_workers, "environment", "library", "steps", "", "all", "",
      "start, us", "lockstep", "times", "bound", "times");
}

void print_row(const Variant& variant, const bench::ProcgenSpeed& speed) {
  terminal::print(
      "{:<22}{:>9.0f}{:>9.0f}{:>6.2f}{:>9.0f}{:>6.2f}{:>10.0f}{:>10.0f}{:>6.2f}{:>10.0f}{:>6.2f}\n",
      variant.env_name(), speed.library, speed.steps_only, speed.steps_only / speed.library,
      speed.one_worker, speed.one_worker / speed.library, speed.start, speed.lockstep,
      speed.lockstep / speed.one_worker, speed.free_library, speed.free_library / speed.library);
  std::fflush(stdout);
}

void bench_procgen(const BenchProcgenArguments& arguments) {
  check_value("--num-slots", arguments.num_slots, from_to(1, 1 << 16));
  check_value("--workers", arguments.num_workers, from_to(0, 1024));
  check_value("--seconds", arguments.seconds, from_to(0.01, 600));
  const std::vector<Variant> wanted = wanted_variants(arguments.envs);
  for (const Variant& variant : wanted) prepare_procgen(variant.env_name());
  const int num_slots = arguments.num_slots;
  const int num_workers = num_workers_for(arguments.num_workers, num_slots);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!arguments.as_json) print_header(num_slots, num_workers);
  for (const Variant& variant : wanted) {
    const bench::ProcgenSpeed speed = bench::measure_procgen(
        variant,
        {.num_slots = num_slots, .num_workers = num_workers, .seconds = arguments.seconds});
    all.push_back(json_of(variant, num_slots, num_workers, speed));
    if (!arguments.as_json) print_row(variant, speed);
  }
  if (arguments.as_json) terminal::print("{}\n", all.dump(2));
}

}  // namespace

void add_bench_procgen(CLI::App& bench) {
  auto arguments = std::make_shared<BenchProcgenArguments>();
  CLI::App* verb = bench.add_subcommand(
      "procgen", "speed of Procgen games relative to its own library, on one core and on several");
  verb->add_option("--env", arguments->envs, "environments to measure (all games in easy mode)")
      ->type_name("NAME...");
  verb->add_option("--num-slots", arguments->num_slots, "slots, played in parallel")
      ->capture_default_str();
  verb->add_option("--workers", arguments->num_workers,
                   "threads that step the slots; 0: one per core")
      ->capture_default_str();
  verb->add_option("--seconds", arguments->seconds, "duration of each measurement")
      ->capture_default_str();
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] { bench_procgen(*arguments); });
}

}  // namespace plr::app

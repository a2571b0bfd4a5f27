// plr bench procgen: how much of Procgen's own speed is left, and how does it grow with cores?
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
#include "plr/core/random.h"
#include "plr/env/random_play.h"
#include "plr/env/worker_pool.h"
#include "plr/procgen/procgen_env.h"

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

struct ProcgenSpeed {
  std::string env;
  double bare = 0;         // the library alone, on one core, with levels of its own choice
  double one_worker = 0;   // ours, on one core
  double all_workers = 0;  // ours, on all that were asked for
  double start = 0;        // microseconds to start a level
  double episode = 0;      // steps
};

// Seconds per call, over about `seconds` of the clock on the wall: that is what workers save.
template <class Act>
double time_of(Act act, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::int64_t calls = 0;
  double passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < 8; ++i) act();
    calls += 8;
    passed = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return passed / static_cast<double>(calls);
}

// The library alone: one handle for all copies, which draws its levels itself.
class BarePlay {
 public:
  BarePlay(const Variant& variant, int num_slots)
      : num_slots_(num_slots),
        env_(procgen::Library::installed(), variant, num_slots, {.first = 0, .count = 1'000'000}) {}

  void step() {
    for (int slot = 0; slot < num_slots_; ++slot) {
      env_.set_action(slot, static_cast<std::int32_t>(random_.below(procgen::kNumActions)));
    }
    env_.act();
  }

 private:
  int num_slots_;
  procgen::RawEnv env_;
  Random random_ = Streams(1).named("actions");
};

// Ours: the levels 0, 1, 2 and so on.
class OurPlay {
 public:
  OurPlay(const Variant& variant, int num_slots, int num_workers)
      : env_(variant, {.num_slots = num_slots, .num_workers = num_workers}), play_(env_, 1) {}
  void step() { play_.step(); }

  void start_one() {
    const Start start = {0, next_level_++};
    env_.start({&start, 1}, play_.batch());
  }
  double steps_per_episode() const {
    return static_cast<double>(play_.num_steps()) /
           static_cast<double>(std::max<std::int64_t>(1, play_.num_episodes()));
  }

 private:
  procgen::ProcgenEnv env_;
  RandomPlay play_;
  LevelId next_level_ = 0;
};

// The three take turns, so that a machine that is busy for a while is so for all of them.
ProcgenSpeed measured(const Variant& variant, const BenchProcgenArguments& arguments) {
  constexpr int kTurns = 5;
  const int num_slots = arguments.num_slots;
  BarePlay bare(variant, num_slots);
  OurPlay one(variant, num_slots, 1);
  OurPlay all(variant, num_slots, arguments.num_workers);
  const double seconds = arguments.seconds / kTurns;
  std::vector<double> bare_times;
  std::vector<double> one_times;
  std::vector<double> all_times;
  for (int turn = 0; turn <= kTurns; ++turn) {
    const double bare_time = time_of([&] { bare.step(); }, seconds);
    const double one_time = time_of([&] { one.step(); }, seconds);
    const double all_time = time_of([&] { all.step(); }, seconds);
    if (turn == 0) continue;  // warms up
    bare_times.push_back(bare_time);
    one_times.push_back(one_time);
    all_times.push_back(all_time);
  }
  const auto steps_per_second = [&](std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + kTurns / 2);
    return num_slots / times[kTurns / 2];
  };
  return {.env = variant.env_name(),
          .bare = steps_per_second(bare_times),
          .one_worker = steps_per_second(one_times),
          .all_workers = steps_per_second(all_times),
          .start = 1e6 * time_of([&] { one.start_one(); }, 0.3 * arguments.seconds),
          .episode = one.steps_per_episode()};
}

std::vector<Variant> wanted_variants(const std::vector<std::string>& names) {
  std::vector<Variant> wanted;
  for (const Variant& variant : procgen::variants()) {
    if (names.empty() && variant.mode == procgen::Mode::kEasy) wanted.push_back(variant);
  }
  for (const std::string& name : names) {
    const auto variant = procgen::find_variant(name);
    if (!variant) {
      throw std::invalid_argument(
          fmt::format("--env must be of Procgen, as procgen/bigfish, not '{}'", name));
    }
    wanted.push_back(*variant);
  }
  return wanted;
}

void bench_procgen(const BenchProcgenArguments& arguments) {
  const std::vector<Variant> wanted = wanted_variants(arguments.envs);
  const int num_workers = num_workers_for(arguments.num_workers, arguments.num_slots);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!arguments.as_json) {
    fmt::print(
        "steps/s, {} slots, random actions, level starts included; workers: {}\n\n"
        "{:<22}{:>10}{:>10}{:>8}{:>12}{:>8}{:>11}{:>15}\n",
        arguments.num_slots, num_workers, "environment", "library", "1 worker", "ratio",
        fmt::format("{} workers", num_workers), "times", "start, us", "steps/episode");
  }
  for (const Variant& variant : wanted) {
    const ProcgenSpeed speed = measured(variant, arguments);
    if (arguments.as_json) {
      all.push_back({{"env", speed.env},
                     {"num_slots", arguments.num_slots},
                     {"num_workers", num_workers},
                     {"library_steps_per_second", speed.bare},
                     {"one_worker_steps_per_second", speed.one_worker},
                     {"steps_per_second", speed.all_workers},
                     {"microseconds_per_start", speed.start},
                     {"steps_per_episode", speed.episode}});
      continue;
    }
    fmt::print("{:<22}{:>10.0f}{:>10.0f}{:>8.3f}{:>12.0f}{:>8.2f}{:>11.0f}{:>15.1f}\n", speed.env,
               speed.bare, speed.one_worker, speed.one_worker / speed.bare, speed.all_workers,
               speed.all_workers / speed.one_worker, speed.start, speed.episode);
    std::fflush(stdout);
  }
  if (arguments.as_json) fmt::print("{}\n", all.dump(2));
}

}  // namespace

void add_bench_procgen(CLI::App& bench) {
  auto arguments = std::make_shared<BenchProcgenArguments>();
  CLI::App* verb = bench.add_subcommand(
      "procgen", "games of Procgen beside its library alone, on one core and on several");
  verb->add_option("--env", arguments->envs, "environments to measure; default: all, easy")
      ->type_name("NAME...");
  verb->add_option("--num-slots", arguments->num_slots, "played side by side")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  verb->add_option("--workers", arguments->num_workers, "threads that step them; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb->add_option("--seconds", arguments->seconds, "for each measurement")
      ->check(CLI::Range(0.01, 600.0))
      ->capture_default_str();
  verb->add_flag("--json", arguments->as_json, "as JSON, for programs");
  verb->callback([arguments] { bench_procgen(*arguments); });
}

}  // namespace plr::app

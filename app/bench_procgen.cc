// plr bench procgen: how much of Procgen's own speed is left, and how does it grow with cores?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/bench.h"
#include "plr/core/random.h"
#include "plr/env/vector_env.h"
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

// Steps per second.
struct ProcgenSpeed {
  double library = 0;      // on one core
  double steps_only = 0;   // ours on one core, without the time that starts take
  double one_worker = 0;   // ours on one core
  double all_workers = 0;  // ours on all that were asked for
  double start = 0;        // microseconds to start a level
};

// Seconds that this thread has computed: other programs on the machine do not count.
double own_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// By the clock on the wall, which is what workers save.
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Measures steps per second now and then.
class Meter {
 public:
  explicit Meter(double (*clock)()) : clock_(clock) {}

  template <class Step>
  void run(double seconds, Step step) {
    const double begin = clock_();
    double passed = 0;
    std::int64_t steps = 0;
    for (; passed < seconds; passed = clock_() - begin) {
      for (int i = 0; i < 8; ++i) steps += step();
    }
    rates_.push_back(static_cast<double>(steps) / passed);
  }
  // The median, without the first, which warms up.
  double rate() const {
    std::vector<double> sorted(rates_.begin() + 1, rates_.end());
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

 private:
  double (*clock_)();
  std::vector<double> rates_;
};

// Actions for many turns, drawn once.
class Actions {
 public:
  explicit Actions(int num_slots) : num_slots_(num_slots), all_(kNumTurns * count()) {
    Random random = Streams(1).named("actions");
    for (Action& action : all_) action = static_cast<Action>(random.below(procgen::kNumActions));
  }

  std::span<const Action> next() {
    turn_ = (turn_ + 1) % kNumTurns;
    return std::span(all_).subspan(turn_ * count(), count());
  }

 private:
  static constexpr std::size_t kNumTurns = 1009;
  std::size_t count() const { return static_cast<std::size_t>(num_slots_); }

  int num_slots_;
  std::vector<Action> all_;
  std::size_t turn_ = 0;
};

// Slot i plays level i again and again, as an environment of the library that was made for this one
// level does by itself: so the games do the same, and the rest is the difference.
class LibraryPlay {
 public:
  LibraryPlay(const Variant& variant, int num_slots) : actions_(num_slots) {
    for (int slot = 0; slot < num_slots; ++slot) {
      envs_.push_back(std::make_unique<procgen::RawEnv>(procgen::Library::installed(), variant, 1,
                                                        procgen::SeedRange{slot, 1}));
    }
  }

  int step() {
    const auto actions = actions_.next();
    for (std::size_t i = 0; i < envs_.size(); ++i) {
      envs_[i]->set_action(0, actions[i]);
      envs_[i]->act();
    }
    return static_cast<int>(envs_.size());
  }

 private:
  Actions actions_;
  std::vector<std::unique_ptr<procgen::RawEnv>> envs_;
};

class OurPlay {
 public:
  OurPlay(const Variant& variant, int num_slots, int num_workers)
      : actions_(num_slots),
        env_(variant, {.num_slots = num_slots, .num_workers = num_workers}),
        buffers_(env_.spec()) {
    for (int slot = 0; slot < num_slots; ++slot) starts_.push_back(again(slot));
    start();
  }

  int step() {
    const int num_slots = env_.spec().num_slots;
    const StepBatch batch = buffers_.batch();
    env_.step({0, num_slots}, actions_.next(), batch);
    starts_.clear();
    for (int slot = 0; slot < num_slots; ++slot) {
      if (batch.ended(slot)) starts_.push_back(again(slot));
    }
    if (!starts_.empty()) start();
    num_steps_ += num_slots;
    return num_slots;
  }

  // Of the calling thread.
  double seconds_per_start() const { return start_seconds_ / num_starts_; }
  double starts_per_step() const { return num_starts_ / num_steps_; }

 private:
  static Start again(int slot) { return {slot, static_cast<LevelId>(slot)}; }

  void start() {
    const double begin = own_seconds();
    env_.start(starts_, buffers_.batch());
    start_seconds_ += own_seconds() - begin;
    num_starts_ += static_cast<double>(starts_.size());
  }

  Actions actions_;
  procgen::ProcgenEnv env_;
  StepBuffers buffers_;
  std::vector<Start> starts_;
  double num_steps_ = 0;
  double num_starts_ = 0;
  double start_seconds_ = 0;
};

// The three take turns, so that a machine that is busy for a while is so for all of them.
ProcgenSpeed measured(const Variant& variant, const BenchProcgenArguments& arguments) {
  constexpr int kTurns = 25;
  LibraryPlay library(variant, arguments.num_slots);
  OurPlay one(variant, arguments.num_slots, 1);
  OurPlay all(variant, arguments.num_slots, arguments.num_workers);
  Meter library_meter(own_seconds);
  Meter one_meter(own_seconds);
  Meter all_meter(wall_seconds);
  for (int turn = 0; turn <= kTurns; ++turn) {
    const double seconds = arguments.seconds / kTurns;
    library_meter.run(seconds, [&] { return library.step(); });
    one_meter.run(seconds, [&] { return one.step(); });
    all_meter.run(seconds, [&] { return all.step(); });
  }
  const double per_step = 1 / one_meter.rate() - one.starts_per_step() * one.seconds_per_start();
  return {.library = library_meter.rate(),
          .steps_only = 1 / per_step,
          .one_worker = one_meter.rate(),
          .all_workers = all_meter.rate(),
          .start = 1e6 * one.seconds_per_start()};
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
        "steps/s, {} slots, random actions; CPU time of one core, and wall time with workers\n"
        "library: alone, one level per slot, again and again; steps: ours without starts; all: "
        "with "
        "them\n\n"
        "{:<26}{:>9}{:>9}{:>7}{:>9}{:>7}{:>12}{:>7}{:>11}\n",
        arguments.num_slots, "environment", "library", "steps", "ratio", "all", "ratio",
        fmt::format("{} workers", num_workers), "times", "start, us");
  }
  for (const Variant& variant : wanted) {
    const ProcgenSpeed speed = measured(variant, arguments);
    all.push_back({{"env", variant.env_name()},
                   {"num_slots", arguments.num_slots},
                   {"num_workers", num_workers},
                   {"library_steps_per_second", speed.library},
                   {"one_worker_steps_per_second_without_starts", speed.steps_only},
                   {"one_worker_steps_per_second", speed.one_worker},
                   {"steps_per_second", speed.all_workers},
                   {"microseconds_per_start", speed.start}});
    if (arguments.as_json) continue;
    fmt::print("{:<26}{:>9.0f}{:>9.0f}{:>7.2f}{:>9.0f}{:>7.2f}{:>12.0f}{:>7.2f}{:>11.0f}\n",
               variant.env_name(), speed.library, speed.steps_only,
               speed.steps_only / speed.library, speed.one_worker, speed.one_worker / speed.library,
               speed.all_workers, speed.all_workers / speed.one_worker, speed.start);
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

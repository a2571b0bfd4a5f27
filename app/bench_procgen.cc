// plr bench procgen: speed relative to Procgen's own library, on one core and on several.
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
#include <thread>
#include <vector>

#include "app/bench.h"
#include "app/procgen_setup.h"
#include "plr/base/fields.h"
#include "plr/base/random.h"
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
  double library = 0;       // on one core
  double steps_only = 0;    // ours on one core, without the time that starts take
  double one_worker = 0;    // ours on one core
  double together = 0;      // ours with all workers, all slots at the same step
  double in_groups = 0;     // ours with all workers, in groups of slots that step independently
  double free_library = 0;  // the library in as many threads without synchronization
  double start = 0;         // microseconds to start a level
};

// CPU time of this thread, which other programs do not affect.
double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Wall time.
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Measures steps per second repeatedly.
class Meter {
 public:
  explicit Meter(double (*clock)()) : clock_(clock) {}

  // Warms up for half as long first: other measurements have replaced the contents of the caches.
  template <class Step>
  void run(double seconds, Step step) {
    measure(seconds / 2, step);
    rates_.push_back(measure(seconds, step));
  }
  // The median without the first measurement, which warms up.
  double rate() const {
    std::vector<double> sorted(rates_.begin() + 1, rates_.end());
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

 private:
  template <class Step>
  double measure(double seconds, Step& step) {
    const double begin = clock_();
    double passed = 0;
    std::int64_t steps = 0;
    for (; passed < seconds; passed = clock_() - begin) {
      for (int i = 0; i < 8; ++i) steps += step();
    }
    return static_cast<double>(steps) / passed;
  }

  double (*clock_)();
  std::vector<double> rates_;
};

// Random actions for many steps, sampled once and repeated.
class Actions {
 public:
  explicit Actions(int num_slots) : num_slots_(num_slots), all_(kNumSteps * count()) {
    Random random = Streams(1).named("actions");
    for (Action& action : all_) action = static_cast<Action>(random.below(procgen::kNumActions));
  }

  std::span<const Action> next() {
    step_ = (step_ + 1) % kNumSteps;
    return std::span(all_).subspan(step_ * count(), count());
  }

 private:
  static constexpr std::size_t kNumSteps = 1009;
  std::size_t count() const { return static_cast<std::size_t>(num_slots_); }

  int num_slots_;
  std::vector<Action> all_;
  std::size_t step_ = 0;
};

// Slot i repeats level i, in an environment of the library that was made for this level.  OurPlay
// plays the same episodes, so that the difference is the cost of our code.
class LibraryPlay {
 public:
  LibraryPlay(const Variant& variant, SlotRange slots, const procgen::Library& library)
      : actions_(slots.size()) {
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      envs_.push_back(
          std::make_unique<procgen::RawEnv>(library, variant, 1, procgen::SeedRange{slot, 1}));
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

// Divides the slots among threads that do not synchronize: the upper bound of this machine.
class FreePlay {
 public:
  FreePlay(const Variant& variant, int num_slots, int num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      const SlotRange slots = part_of_slots(num_slots, i, num_threads);
      plays_.emplace_back(variant, slots, procgen::Library::of_worker(i, num_threads));
      meters_.emplace_back(wall_seconds);
    }
  }

  void run(double seconds) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < plays_.size(); ++i) {
      threads.emplace_back([&, i] { meters_[i].run(seconds, [&] { return plays_[i].step(); }); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  double rate() const {
    double sum = 0;
    for (const Meter& meter : meters_) sum += meter.rate();
    return sum;
  }

 private:
  std::vector<LibraryPlay> plays_;
  std::vector<Meter> meters_;
};

class OurPlay {
 public:
  OurPlay(const Variant& variant, int num_slots, int num_workers, int num_groups)
      : actions_(num_slots),
        env_(variant, {.num_slots = num_slots, .num_workers = num_workers}),
        buffers_(env_.spec()) {
    for (int lane = 0; lane < num_groups; ++lane) {
      const SlotRange slots = part_of_slots(num_slots, lane, num_groups);
      Group& group = groups_.emplace_back(Group{lane, slots, {}});
      for (int slot = slots.begin; slot < slots.end; ++slot) group.starts.push_back(again(slot));
    }
    for (Group& group : groups_) start(group);
  }

  // Runs until the next group has stepped or has started levels; returns the number of steps.
  int step() {
    for (;; env_.run_one_task()) {
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        next_ = (next_ + 1) % groups_.size();
        if (env_.ready(groups_[next_].lane)) return advance(groups_[next_]);
      }
    }
  }

  // CPU time of the calling thread.
  double seconds_per_start() const { return start_seconds_ / num_starts_; }
  double starts_per_step() const { return num_starts_ / num_steps_; }

 private:
  struct Group {
    int lane;
    SlotRange slots;
    std::vector<Start> starts;  // pending; if empty, a step is pending
  };

  static Start again(int slot) { return {slot, static_cast<LevelId>(slot)}; }

  int advance(Group& group) {
    if (!group.starts.empty()) {
      env_.collect(group.lane);
      group.starts.clear();
      submit_step(group);
      return 0;
    }
    const StepBatch batch = buffers_.batch();
    env_.collect(group.lane);
    num_steps_ += group.slots.size();
    for (int slot = group.slots.begin; slot < group.slots.end; ++slot) {
      if (batch.ended(slot)) group.starts.push_back(again(slot));
    }
    group.starts.empty() ? submit_step(group) : start(group);
    return group.slots.size();
  }

  void submit_step(const Group& group) {
    const auto actions = actions_.next().subspan(static_cast<std::size_t>(group.slots.begin),
                                                 static_cast<std::size_t>(group.slots.size()));
    env_.submit_step(group.lane, group.slots, actions, buffers_.batch());
  }

  void start(Group& group) {
    const double begin = thread_seconds();
    env_.submit_start(group.lane, group.starts, buffers_.batch());
    start_seconds_ += thread_seconds() - begin;
    num_starts_ += static_cast<double>(group.starts.size());
  }

  Actions actions_;
  procgen::ProcgenEnv env_;
  StepBuffers buffers_;
  std::vector<Group> groups_;
  std::size_t next_ = 0;
  double num_steps_ = 0;
  double num_starts_ = 0;
  double start_seconds_ = 0;
};

// Measurements rotate, so that a temporary load of the machine affects all of them: often, but each
// long enough to outweigh the wake-up of workers that slept meanwhile.
ProcgenSpeed measured(const Variant& variant, const BenchProcgenArguments& arguments) {
  const int num_turns = std::clamp(static_cast<int>(arguments.seconds / 0.04), 5, 25);
  const int num_slots = arguments.num_slots;
  const int num_workers = num_workers_for(arguments.num_workers, num_slots);
  LibraryPlay library(variant, {0, num_slots}, procgen::Library::installed());
  OurPlay one(variant, num_slots, 1, 1);
  OurPlay together(variant, num_slots, num_workers, 1);
  OurPlay in_groups(variant, num_slots, num_workers, std::min(num_slots, VectorEnv::kNumLanes));
  FreePlay free_library(variant, num_slots, num_workers);
  Meter library_meter(thread_seconds);
  Meter one_meter(thread_seconds);
  Meter together_meter(wall_seconds);
  Meter in_groups_meter(wall_seconds);
  for (int turn = 0; turn <= num_turns; ++turn) {
    const double seconds = arguments.seconds / num_turns;
    library_meter.run(seconds, [&] { return library.step(); });
    one_meter.run(seconds, [&] { return one.step(); });
    together_meter.run(seconds, [&] { return together.step(); });
    in_groups_meter.run(seconds, [&] { return in_groups.step(); });
    free_library.run(seconds);
  }
  const double per_step = 1 / one_meter.rate() - one.starts_per_step() * one.seconds_per_start();
  return {.library = library_meter.rate(),
          .steps_only = 1 / per_step,
          .one_worker = one_meter.rate(),
          .together = together_meter.rate(),
          .in_groups = in_groups_meter.rate(),
          .free_library = free_library.rate(),
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
      throw std::invalid_argument(fmt::format(
          "--env must be an environment of Procgen, such as procgen/bigfish, not '{}'", name));
    }
    wanted.push_back(*variant);
  }
  return wanted;
}

void bench_procgen(const BenchProcgenArguments& arguments) {
  check_value("--num-slots", arguments.num_slots, from_to(1, 1 << 16));
  check_value("--workers", arguments.num_workers, from_to(0, 1024));
  check_value("--seconds", arguments.seconds, from_to(0.01, 600));
  const std::vector<Variant> wanted = wanted_variants(arguments.envs);
  for (const Variant& variant : wanted) prepare_procgen(variant.env_name());
  const int num_workers = num_workers_for(arguments.num_workers, arguments.num_slots);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!arguments.as_json) {
    fmt::print(
        "steps/s, {} slots, random actions\n"
        "one core, CPU time      library: Procgen's own, one level per slot; steps: ours "
        "without level starts; all: ours with them\n"
        "{} workers, wall time  lockstep: all slots step together; pipelined: {} independent "
        "groups; "
        "bound: raw library, {} threads\n\n"
        "{:<22}{:>9}{:>9}{:>6}{:>9}{:>6}{:>10}{:>10}{:>6}{:>10}{:>6}{:>10}{:>6}\n",
        arguments.num_slots, num_workers, VectorEnv::kNumLanes, num_workers, "environment",
        "library", "steps", "", "all", "", "start, us", "lockstep", "times", "pipelined", "times",
        "bound", "times");
  }
  for (const Variant& variant : wanted) {
    const ProcgenSpeed speed = measured(variant, arguments);
    all.push_back({{"env", variant.env_name()},
                   {"num_slots", arguments.num_slots},
                   {"num_workers", num_workers},
                   {"library_steps_per_second", speed.library},
                   {"one_worker_steps_per_second_without_starts", speed.steps_only},
                   {"one_worker_steps_per_second", speed.one_worker},
                   {"steps_per_second", speed.together},
                   {"steps_per_second_in_groups", speed.in_groups},
                   {"library_steps_per_second_in_free_threads", speed.free_library},
                   {"microseconds_per_start", speed.start}});
    if (arguments.as_json) continue;
    fmt::print(
        "{:<22}{:>9.0f}{:>9.0f}{:>6.2f}{:>9.0f}{:>6.2f}{:>10.0f}{:>10.0f}{:>6.2f}{:>10.0f}{:>6.2f}"
        "{:>10.0f}{:>6.2f}\n",
        variant.env_name(), speed.library, speed.steps_only, speed.steps_only / speed.library,
        speed.one_worker, speed.one_worker / speed.library, speed.start, speed.together,
        speed.together / speed.one_worker, speed.in_groups, speed.in_groups / speed.one_worker,
        speed.free_library, speed.free_library / speed.library);
    std::fflush(stdout);
  }
  if (arguments.as_json) fmt::print("{}\n", all.dump(2));
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

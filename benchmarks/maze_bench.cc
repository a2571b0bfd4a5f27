// Time of the maze's engine, generators, edits and solver.
//
// `step_and_observe` is one random action and the 5 x 5 view after it, without VectorEnv; items are
// steps. `generate`, `edit` (5 random edits) and `solve` are one level each.
//
//   build/release/benchmarks/maze_bench
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "plr/maze/edit.h"
#include "plr/maze/observe.h"
#include "plr/maze/solver.h"
#include "plr/maze/step.h"
#include "plr/maze/tasks.h"

namespace plr::maze {
namespace {

constexpr std::size_t kNumLevels = 1000;

std::vector<Level> some_levels(const char* name, std::size_t count) {
  const Task task = find_task(name).value();
  std::vector<Level> levels;
  for (std::uint64_t seed = 0; seed < count; ++seed) levels.push_back(make_level(task, seed));
  return levels;
}

void step_and_observe(benchmark::State& state, const char* name) {
  const Level level = some_levels(name, 1)[0];
  Random random = Streams(1).named("actions");
  std::array<Action, 4096> actions;
  for (Action& action : actions) action = static_cast<Action>(random.below(kNumActions));
  std::vector<std::uint8_t> image(view_bytes(kStandardSide));
  const Rules rules;
  State agent = start_of(level);
  std::size_t i = 0;
  for (auto _ : state) {
    if (step(level, rules, agent, actions[i++ % actions.size()]).done()) agent = start_of(level);
    observe_view(level, agent, {}, image);
    benchmark::DoNotOptimize(image.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

void generate(benchmark::State& state, const char* name) {
  const Task task = find_task(name).value();
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(make_level(task, seed++));
}

void edit(benchmark::State& state, const char* name) {
  const std::vector<Level> levels = some_levels(name, 100);
  Random random = Streams(1).named("edits");
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(with_random_edits(levels[i++ % levels.size()], 5, random));
  }
}

void solve(benchmark::State& state, const char* name, std::size_t count) {
  const std::vector<Level> levels = some_levels(name, count);
  Solver solver;
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(solver.num_actions(levels[i++ % count]));
}

BENCHMARK_CAPTURE(step_and_observe, random_25, "random-25");
BENCHMARK_CAPTURE(step_and_observe, random_60, "random-60");
BENCHMARK_CAPTURE(generate, random_60, "random-60");
BENCHMARK_CAPTURE(generate, PerfectMaze_101, "PerfectMaze-101");
BENCHMARK_CAPTURE(edit, random_60, "random-60");
BENCHMARK_CAPTURE(solve, random_60, "random-60", kNumLevels);
BENCHMARK_CAPTURE(solve, PerfectMaze_13, "PerfectMaze-13", kNumLevels);
BENCHMARK_CAPTURE(solve, PerfectMaze_101, "PerfectMaze-101", 20);

}  // namespace
}  // namespace plr::maze

BENCHMARK_MAIN();

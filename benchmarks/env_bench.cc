// Time of an environment step and of a level start.
//
// `play` is one action in each of 64 slots, with the observation of the whole grid or of the 7 x 7
// view; when an episode ends, the next level is started within the measured time. items_per_second
// counts steps. `start` is one level start. One thread.
//
//   build/release/benchmarks/env_bench
#include <benchmark/benchmark.h>

#include <memory>

#include "plr/catalog/make_env.h"
#include "plr/env/random_play.h"

namespace plr {
namespace {

constexpr const char* kMultiRoom = "minigrid/MultiRoom-N4-Random";
constexpr const char* kGamut = "minigrid/ObstructedMazeGamut-Medium";

void play(benchmark::State& state, const char* name, const EnvOptions& options) {
  const std::unique_ptr<VectorEnv> env = catalog::make_env(name, options);
  RandomPlay random_play(*env, 1);
  // Moves all slots to the middle of an episode, so that they do not start in lockstep.
  for (int i = 0; i < 2 * env->spec().max_steps; ++i) random_play.step();
  for (auto _ : state) random_play.step();
  state.SetItemsProcessed(state.iterations() * env->spec().num_slots);
}

void start(benchmark::State& state, const char* name, const EnvOptions& options) {
  const std::unique_ptr<VectorEnv> env = catalog::make_env(name, options);
  StepBuffers buffers(env->spec());
  const StepBatch batch = buffers.batch();
  LevelId level = 0;
  for (auto _ : state) {
    const Start one = {static_cast<int>(level % 64), level};
    env->start({&one, 1}, batch);
    ++level;
  }
}

const EnvOptions kFull{};
const EnvOptions kView{.observation = Observation::kView};
const EnvOptions kPcg64{.seeding = LevelSeeding::kPcg64};

BENCHMARK_CAPTURE(play, MultiRoom_full, kMultiRoom, kFull);
BENCHMARK_CAPTURE(play, MultiRoom_full_pcg64, kMultiRoom, kPcg64);
BENCHMARK_CAPTURE(play, MultiRoom_view, kMultiRoom, kView);
BENCHMARK_CAPTURE(play, Gamut_Medium_full, kGamut, kFull);
BENCHMARK_CAPTURE(play, Gamut_Medium_view, kGamut, kView);
BENCHMARK_CAPTURE(start, MultiRoom, kMultiRoom, kFull)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(start, MultiRoom_pcg64, kMultiRoom, kPcg64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(start, Gamut_Medium, kGamut, kFull)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plr

BENCHMARK_MAIN();

// Time of drawing a level and recording its score.
//
// One operation is one next() and one record(), with all levels seen and scored, with the paper's
// settings (temperature 0.1, staleness 0.1) and with warmer ones, whose draws spread over all
// levels. `naive` is the O(N) implementation of tests/support/naive_replay.h with the same
// workload. The counter bytes_per_level is the memory that the sampler allocates, per level.
//
// `tscl` is TSCL-Window with its best setting and with the Boltzmann policy.
//
// `buffer_insert` is one insert into a full level buffer and `buffer_draw` one draw and one update,
// with JaxUED's settings and with temperature 1. Between the inserts, each of a new level with a
// random score, 32 levels are drawn after every 32, as in training; draws are not measured.
// `naive_buffer_insert` is the O(N log N) implementation of tests/support/naive_buffer.h.
//
//   build/release/benchmarks/sampler_bench
#include <benchmark/benchmark.h>

#include <cstdint>

#include "plr/core/level_buffer.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/naive_buffer.h"
#include "tests/support/naive_replay.h"

namespace plr {
namespace {

constexpr LevelReplayConfig kRankAsPaper{};
constexpr LevelReplayConfig kRankWarm{.temperature = 1, .staleness_coef = 0.3};
constexpr LevelReplayConfig kProportionalAsPaper{.transform = Transform::kProportional};
constexpr LevelReplayConfig kProportionalWarm{
    .transform = Transform::kProportional, .temperature = 1, .staleness_coef = 0.3};

constexpr TsclConfig kTscl{};
constexpr TsclConfig kTsclBoltzmann{.policy = TsclPolicy::kBoltzmann, .staleness_coef = 0.3};

template <class Sampler, class Config>
void measure(benchmark::State& state, const Config& config) {
  const auto num_levels = static_cast<std::uint64_t>(state.range(0));
  const Streams streams(1);
  const std::size_t before = testing::allocated_bytes();
  Sampler sampler(LevelSet::range(0, num_levels), config, streams.named("levels"));
  const std::size_t bytes = testing::allocated_bytes() - before;
  Random scores = streams.named("scores");
  for (LevelId level = 0; level < num_levels; ++level) sampler.choose(level);
  for (LevelId level = 0; level < num_levels; ++level) {
    sampler.record({.level = level, .score = scores.uniform(), .episode_return = scores.uniform()});
  }
  for (auto _ : state) {
    const LevelId level = sampler.next();
    sampler.record({.level = level, .score = scores.uniform(), .episode_return = scores.uniform()});
  }
  state.counters["bytes_per_level"] = static_cast<double>(bytes) / static_cast<double>(num_levels);
}

void fast(benchmark::State& state, const LevelReplayConfig& config) {
  measure<LevelReplay>(state, config);
}

void tscl(benchmark::State& state, const TsclConfig& config) { measure<Tscl>(state, config); }

void naive(benchmark::State& state, const LevelReplayConfig& config) {
  const auto num_levels = static_cast<std::uint64_t>(state.range(0));
  const Streams streams(1);
  Random scores = streams.named("scores");
  Random levels = streams.named("levels");
  testing::NaiveReplay replay(config, num_levels, false);
  replay.see_all([&] { return scores.uniform(); });
  for (auto _ : state) {
    const LevelId level = replay.next(levels);
    replay.record(level, scores.uniform());
  }
}

// Fills a buffer; level ids continue from the returned one.
template <class Buffer>
LevelId fill(Buffer& buffer, std::uint64_t capacity, Random& scores) {
  for (LevelId level = 0; level < capacity; ++level) buffer.insert(level, scores.uniform(), 0);
  return capacity;
}

void buffer_insert(benchmark::State& state, double temperature) {
  const auto capacity = static_cast<std::uint64_t>(state.range(0));
  Random random = Streams(1).named("levels");
  LevelBuffer buffer({.capacity = capacity, .temperature = temperature});
  LevelId level = fill(buffer, capacity, random);
  for (auto _ : state) {
    benchmark::DoNotOptimize(buffer.insert(level, random.uniform(), 0));
    if (++level % 32 != 0) continue;
    state.PauseTiming();
    for (int i = 0; i < 32; ++i) buffer.update(buffer.draw(random).slot, random.uniform(), 0);
    state.ResumeTiming();
  }
}

void buffer_draw(benchmark::State& state, double temperature) {
  const auto capacity = static_cast<std::uint64_t>(state.range(0));
  Random random = Streams(1).named("levels");
  LevelBuffer buffer({.capacity = capacity, .temperature = temperature});
  fill(buffer, capacity, random);
  for (auto _ : state) buffer.update(buffer.draw(random).slot, random.uniform(), 0);
}

void naive_buffer_insert(benchmark::State& state, double temperature) {
  const auto capacity = static_cast<std::uint64_t>(state.range(0));
  Random random = Streams(1).named("levels");
  testing::NaiveBuffer buffer({.capacity = capacity, .temperature = temperature});
  LevelId level = fill(buffer, capacity, random);
  for (auto _ : state) benchmark::DoNotOptimize(buffer.insert(level++, random.uniform(), 0));
}

void capacities(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(4'000)->Arg(100'000)->ArgName("levels");
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(200)->Arg(4'000)->Arg(100'000)->Arg(1'000'000)->ArgName("levels");
}

BENCHMARK_CAPTURE(fast, rank, kRankAsPaper)->Apply(sizes);
BENCHMARK_CAPTURE(fast, rank_warm, kRankWarm)->Apply(sizes);
BENCHMARK_CAPTURE(fast, proportional, kProportionalAsPaper)->Apply(sizes);
BENCHMARK_CAPTURE(fast, proportional_warm, kProportionalWarm)->Apply(sizes);
BENCHMARK_CAPTURE(tscl, best, kTscl)->Apply(sizes);
BENCHMARK_CAPTURE(tscl, boltzmann, kTsclBoltzmann)->Apply(sizes);
BENCHMARK_CAPTURE(naive, rank, kRankAsPaper)->Apply(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(naive, proportional, kProportionalAsPaper)
    ->Apply(sizes)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(buffer_insert, jaxued, 0.3)->Apply(capacities);
BENCHMARK_CAPTURE(buffer_insert, warm, 1.0)->Apply(capacities);
BENCHMARK_CAPTURE(buffer_draw, jaxued, 0.3)->Apply(capacities);
BENCHMARK_CAPTURE(buffer_draw, warm, 1.0)->Apply(capacities);
BENCHMARK_CAPTURE(naive_buffer_insert, jaxued, 0.3)
    ->Arg(4'000)
    ->ArgName("levels")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plr

BENCHMARK_MAIN();

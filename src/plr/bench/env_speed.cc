#include "plr/bench/env_speed.h"

#include <algorithm>
#include <cstdint>

#include "plr/bench/meter.h"
#include "plr/env/random_play.h"

namespace plr::bench {
namespace {

constexpr LevelId kNeverPlayed = 1'000'000'000;

}  // namespace

EnvSpeed measure_env(VectorEnv& env, const EnvMeasurement& measurement) {
  const auto calls_per_second = [&](double share, auto act) {
    return rate(measurement.clock, share * measurement.seconds, 64, [&] {
      act();
      return 1;
    });
  };
  RandomPlay play(env, 1);
  calls_per_second(0.1, [&] { play.step(); });  // warms up
  const double steps = calls_per_second(1, [&] { play.step(); });

  const StepBatch batch = play.batch();
  const auto start = [&](LevelId level) {
    const Start one = {static_cast<int>(level % env.spec().num_slots),
                       env.spec().level_modulo(level)};
    env.start({&one, 1}, batch);
  };
  LevelId level = kNeverPlayed;
  const double starts = calls_per_second(0.3, [&] { start(level++); });
  const LevelId num_levels = measurement.num_levels;
  for (level = 0; level < 2 * num_levels; ++level) start(level % num_levels);
  const double starts_again = calls_per_second(0.3, [&] { start(level++ % num_levels); });

  const auto episodes = static_cast<double>(std::max<std::int64_t>(1, play.num_episodes()));
  return {.steps_per_second = env.spec().num_slots * steps,
          .microseconds_per_start = 1e6 / starts,
          .microseconds_per_start_again = 1e6 / starts_again,
          .steps_per_episode = static_cast<double>(play.num_steps()) / episodes};
}

}  // namespace plr::bench

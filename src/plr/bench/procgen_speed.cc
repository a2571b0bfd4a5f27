#include "plr/bench/procgen_speed.h"

#include <algorithm>

#include "plr/bench/library_play.h"
#include "plr/bench/meter.h"
#include "plr/bench/repeat_play.h"
#include "plr/procgen/procgen_env.h"

namespace plr::bench {

// Measurements rotate, so that a temporary load of the machine affects all of them: often, but each
// long enough to outweigh the wake-up of workers that slept meanwhile.
ProcgenSpeed measure_procgen(const procgen::Variant& variant,
                             const ProcgenMeasurement& measurement) {
  const auto [num_slots, num_workers, total_seconds] = measurement;
  const int num_turns = std::clamp(static_cast<int>(total_seconds / 0.04), 5, 25);
  const double seconds = total_seconds / num_turns;
  procgen::ProcgenEnv one_env(variant, {.num_slots = num_slots, .num_workers = 1});
  procgen::ProcgenEnv lockstep_env(variant, {.num_slots = num_slots, .num_workers = num_workers});
  LibraryPlay library(variant, {0, num_slots}, procgen::Library::installed());
  RepeatPlay one(one_env);
  RepeatPlay lockstep(lockstep_env);
  FreePlay free_library(variant, num_slots, num_workers);
  Meter library_meter(thread_seconds);
  Meter one_meter(thread_seconds);
  Meter lockstep_meter(wall_seconds);
  for (int turn = 0; turn <= num_turns; ++turn) {
    library_meter.run(seconds, [&] { return library.step(); });
    one_meter.run(seconds, [&] { return one.step(); });
    lockstep_meter.run(seconds, [&] { return lockstep.step(); });
    free_library.run(seconds);
  }
  const double per_step = 1 / one_meter.rate() - one.starts_per_step() * one.seconds_per_start();
  return {.library = library_meter.rate(),
          .steps_only = 1 / per_step,
          .one_worker = one_meter.rate(),
          .lockstep = lockstep_meter.rate(),
          .free_library = free_library.rate(),
          .start = 1e6 * one.seconds_per_start()};
}

}  // namespace plr::bench

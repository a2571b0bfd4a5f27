// Speed of a Procgen game relative to Procgen's own library, on one core and on several.
//
//   const ProcgenSpeed speed = measure_procgen(*procgen::find_variant("procgen/maze"), {});
//   speed.one_worker / speed.library;
//
// ProcgenSpeed is copyable. Not thread-safe: concurrent measurements affect each other.
#pragma once

#include "plr/procgen/games.h"

namespace plr::bench {

struct ProcgenMeasurement {
  int num_slots = 64;
  int num_workers = 1;
  double seconds = 1;  // of each quantity
};

// Steps per second; on one core of CPU time, else of wall time.
struct ProcgenSpeed {
  double library = 0;       // on one core
  double steps_only = 0;    // ours on one core, without the time that starts take
  double one_worker = 0;    // ours on one core
  double lockstep = 0;      // ours with all workers, all slots at the same step
  double free_library = 0;  // the library in as many threads without synchronization
  double start = 0;         // microseconds to start a level
};

ProcgenSpeed measure_procgen(const procgen::Variant& variant,
                             const ProcgenMeasurement& measurement);

}  // namespace plr::bench

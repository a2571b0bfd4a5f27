#include "plr/classic/classic_env.h"

#include <algorithm>
#include <stdexcept>

namespace plr::classic {
namespace {

// With fewer slots per worker, waiting for workers costs more than they save.
constexpr int kSlotsPerWorker = 4096;

}  // namespace

void check_options(const std::string& env, const EnvOptions& options) {
  check_fields(options);
  refuse_maze_options(env, options);
  if (options.observation == Observation::kView) {
    throw std::invalid_argument("observation: " + env + " offers full only, not " +
                                to_text(options.observation));
  }
  if (options.seeding != LevelSeeding::kDefault) {
    throw std::invalid_argument("seeding: " + env + " offers default only, not " +
                                to_text(options.seeding));
  }
}

int num_workers_of(const EnvOptions& options) {
  const bool is_open = options.num_workers == 0;
  const int most = is_open ? std::max(1, options.num_slots / kSlotsPerWorker) : options.num_slots;
  return num_workers_for(options.num_workers, most);
}

}  // namespace plr::classic

#include "plr/classic/classic_env.h"

#include <algorithm>

namespace plr::classic {
namespace {

// With fewer slots per worker, waiting for workers costs more than they save.
constexpr int kSlotsPerWorker = 4096;

}  // namespace

int num_workers_of(const EnvOptions& options) {
  const bool is_open = options.num_workers == 0;
  const int most = is_open ? std::max(1, options.num_slots / kSlotsPerWorker) : options.num_slots;
  return num_workers_for(options.num_workers, most);
}

}  // namespace plr::classic

// The step log of a rank: in memory that the ranks share if they are on one machine, else kept
// equal by messages.
//
//   RankLog log(world, {.num_steps = 256, .num_slots = 64});
//   Collector collector({..., log.log()}, stream);
//
// Not copyable.  Not thread-safe; the log itself as in collect/step_log.h.
#pragma once

#include <cstddef>
#include <optional>

#include "plr/collect/shared_memory.h"
#include "plr/collect/step_log.h"
#include "plr/distributed/log_exchange.h"
#include "plr/distributed/world.h"

namespace plr::distributed {

class RankLog {
 public:
  // With `use_messages` memory is not shared even if it could be.
  RankLog(World& world, std::size_t num_steps, std::size_t num_slots, bool use_messages = false);
  RankLog(const RankLog&) = delete;
  RankLog& operator=(const RankLog&) = delete;

  collect::StepLog& log() { return log_; }
  bool shares_memory() const { return memory_.has_value(); }

 private:
  std::optional<collect::SharedMemory> memory_;
  collect::StepLog log_;
  std::optional<LogExchange> exchange_;
};

}  // namespace plr::distributed

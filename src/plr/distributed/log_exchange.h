// Keeps the step logs of ranks equal that do not share memory.
//
//   LogExchange exchange(log, world.open_exchange());
//
// A thread of its own sends the records that this rank has published since the last message, a few
// steps at most, and receives those of the others, which it copies into the log and publishes
// there: for the collector it is as if the ranks shared memory (collect/step_log.h).  It exchanges
// messages as long as a rollout lasts on some rank, also if this rank has nothing new.
//
// A failure is reported by StepLog::check_ranks().  The log must outlive it.  Not copyable.
#pragma once

#include <thread>

#include "plr/collect/step_log.h"
#include "plr/distributed/world.h"

namespace plr::distributed {

class LogExchange {
 public:
  LogExchange(collect::StepLog& log, World::Exchange exchange);
  LogExchange(const LogExchange&) = delete;
  LogExchange& operator=(const LogExchange&) = delete;

 private:
  void exchange_rollout(const std::stop_token& stop);

  collect::StepLog& log_;
  World::Exchange exchange_;
  std::jthread thread_;  // the last member, so that it ends first
};

}  // namespace plr::distributed

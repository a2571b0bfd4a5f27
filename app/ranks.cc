#include "app/ranks.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "plr/collect/rank_lost.h"
#include "plr/terminal/print.h"
#include "plr/terminal/stop_signal.h"

namespace plr::app {
namespace {

constexpr int kFailed = 2;
// EX_TEMPFAIL of sysexits.h: the report of the launcher shows by it which rank failed first.
constexpr int kRankLost = 75;

// At once: threads of c10d may wait for ranks that are gone.
[[noreturn]] void end(int exit_code) {
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

}  // namespace

void run_as_rank(const std::string& verb,
                 const std::function<void(const distributed::Launch&)>& work) {
  const int rank = distributed::rank_from_environment();
  try {
    work(distributed::launch_from_environment());
  } catch (const collect::RankLost& error) {
    terminal::print(stderr, "{}: rank {} stops: {}; the last checkpoint is kept\n", verb, rank,
                    error.what());
    end(kRankLost);
  } catch (const terminal::Stopped&) {
    throw;
  } catch (const std::invalid_argument&) {
    if (rank > 0) end(kFailed);
    throw;
  } catch (const std::exception& error) {
    if (rank == 0) throw;
    throw std::runtime_error(fmt::format("rank {}: {}", rank, error.what()));
  }
}

bool is_silent_rank(const std::string& verb) {
  const bool runs_as_ranks = verb == "plr" || verb == "plr train" || verb == "plr bench train";
  return runs_as_ranks && distributed::rank_from_environment() > 0;
}

}  // namespace plr::app

#include "plr/distributed/log_exchange.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "plr/collect/rank_lost.h"

namespace plr::distributed {
namespace {

using collect::StepRecord;
static_assert(std::is_trivially_copyable_v<StepRecord>);

// Steps of a message.  Messages have equal sizes.
constexpr int kMaxSteps = 8;
// After a message in which no rank sent anything.
constexpr std::chrono::microseconds kPause(20);

struct Header {
  std::int32_t first_step = 0;
  std::int32_t num_steps = 0;
};

}  // namespace

LogExchange::LogExchange(collect::StepLog& log, World::Exchange exchange)
    : log_(log), exchange_(std::move(exchange)) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    try {
      for (std::int64_t rollout = 1; log_.wait_for_rollout(rollout, stop); ++rollout) {
        exchange_rollout(stop);
      }
    } catch (const std::exception& error) {
      log_.fail(error.what());
    }
  });
}

// Every rank sees the same counters after a message, so that all end after the same one.  A rank
// that is stopped before leaves, and the messages of the others fail.
void LogExchange::exchange_rollout(const std::stop_token& stop) {
  const collect::StepLogShape& shape = log_.shape();
  const auto num_rows = static_cast<int>(shape.num_steps) + 1;
  const auto num_slots = static_cast<std::size_t>(log_.own_slots().size());
  const std::size_t row_bytes = num_slots * sizeof(StepRecord);
  const std::size_t size = sizeof(Header) + kMaxSteps * row_bytes;
  std::vector<std::byte> mine(size);
  std::vector<std::byte> all(size * static_cast<std::size_t>(shape.num_ranks));
  std::vector<int> num_sent(static_cast<std::size_t>(shape.num_ranks));
  const auto records_of = [&](int rank, int step) {
    const auto first = static_cast<std::size_t>(shape.slots_of(rank).begin);
    return log_.row(static_cast<std::size_t>(step)).subspan(first, num_slots);
  };
  while (std::ranges::min(num_sent) < num_rows && !stop.stop_requested()) {
    const int first = num_sent[static_cast<std::size_t>(shape.rank)];
    const Header header = {first, std::min(log_.num_finished(shape.rank) - first, kMaxSteps)};
    std::memcpy(mine.data(), &header, sizeof header);
    for (int i = 0; i < header.num_steps; ++i) {
      std::memcpy(mine.data() + sizeof header + static_cast<std::size_t>(i) * row_bytes,
                  records_of(shape.rank, first + i).data(), row_bytes);
    }
    exchange_(mine, all);
    bool has_new = false;
    for (int rank = 0; rank < shape.num_ranks; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      const std::byte* from = all.data() + index * size;
      Header theirs;
      std::memcpy(&theirs, from, sizeof theirs);
      has_new |= theirs.num_steps > 0;
      num_sent[index] += theirs.num_steps;
      if (rank == shape.rank) continue;
      for (int i = 0; i < theirs.num_steps; ++i) {
        std::memcpy(records_of(rank, theirs.first_step + i).data(),
                    from + sizeof theirs + static_cast<std::size_t>(i) * row_bytes, row_bytes);
      }
      if (theirs.num_steps > 0) log_.publish(rank, num_sent[index]);
    }
    if (!has_new) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace plr::distributed

#include "plr/collect/step_log.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <string>

#include "plr/collect/rank_lost.h"

namespace plr::collect {

// `alive` is a robust mutex that a rank holds as long as it lives: the kernel tells the next one
// who tries to lock it that its owner has died.
struct alignas(64) StepLog::RankState {
  std::atomic<std::int64_t> count;  // published steps, over all rollouts
  pthread_mutex_t alive;
};

namespace {

constexpr std::size_t kAlignment = 64;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void make_robust_mutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace

std::size_t StepLog::num_bytes(const StepLogShape& shape) {
  return static_cast<std::size_t>(shape.num_ranks) * sizeof(RankState) +
         (shape.num_steps + 1) * shape.num_slots * sizeof(StepRecord);
}

StepLog::StepLog(const StepLogShape& shape) : StepLog(shape, {}) {}

StepLog::StepLog(const StepLogShape& shape, std::span<std::byte> memory) : shape_(shape) {
  if (memory.empty()) {
    own_memory_.resize(num_bytes(shape) + kAlignment);
    void* begin = own_memory_.data();
    std::size_t space = own_memory_.size();
    std::align(kAlignment, num_bytes(shape), begin, space);
    memory = {static_cast<std::byte*>(begin), num_bytes(shape)};
  }
  const auto num_ranks = static_cast<std::size_t>(shape.num_ranks);
  ranks_ = {reinterpret_cast<RankState*>(memory.data()), num_ranks};
  records_ = {reinterpret_cast<StepRecord*>(memory.data() + ranks_.size_bytes()),
              (shape.num_steps + 1) * shape.num_slots};
  RankState& own = ranks_[static_cast<std::size_t>(shape.rank)];
  make_robust_mutex(own.alive);
  pthread_mutex_lock(&own.alive);
}

StepLog::~StepLog() { pthread_mutex_unlock(&ranks_[static_cast<std::size_t>(shape_.rank)].alive); }

void StepLog::begin_rollout() {
  const std::scoped_lock lock(mutex_);
  ++num_rollouts_;
  first_count_ += static_cast<std::int64_t>(shape_.num_steps) + 2;
  publish(0);
  has_begun_.notify_all();
}

bool StepLog::wait_for_rollout(std::int64_t number, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return has_begun_.wait(lock, stop, [&] { return num_rollouts_ >= number; });
}

void StepLog::publish(int rank, int num_finished) {
  ranks_[static_cast<std::size_t>(rank)].count.store(first_count_ + num_finished,
                                                     std::memory_order_release);
}

int StepLog::num_finished(int rank) const {
  const std::int64_t count =
      ranks_[static_cast<std::size_t>(rank)].count.load(std::memory_order_acquire);
  return static_cast<int>(std::max<std::int64_t>(count - first_count_, 0));
}

int StepLog::num_finished() const {
  int least = std::numeric_limits<int>::max();
  for (int rank = 0; rank < shape_.num_ranks; ++rank) least = std::min(least, num_finished(rank));
  return least;
}

void StepLog::fail(const std::string& why) {
  failure_ = why;
  has_failed_.store(true, std::memory_order_release);
}

void StepLog::check_ranks() {
  if (has_failed_.load(std::memory_order_acquire)) throw RankLost(failure_);
  if (!own_memory_.empty()) return;
  for (int rank = 0; rank < shape_.num_ranks; ++rank) {
    if (rank == shape_.rank) continue;
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    const int status = pthread_mutex_trylock(&state.alive);
    if (status == EBUSY) continue;
    if (status == EOWNERDEAD) pthread_mutex_consistent(&state.alive);
    pthread_mutex_unlock(&state.alive);
    throw RankLost("rank " + std::to_string(rank) + " has ended");
  }
}

}  // namespace plr::collect

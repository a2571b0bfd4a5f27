// A number on which threads block until it changes.
//
//   number.wait(7);                // blocks while the number is 7
//   number.store(8);               // by another thread
//   number.notify_all();
//
// In contrast to std::atomic, the object counts the blocked threads itself: libstdc++ counts them
// in a static table, of which a program and its plug-ins have one each, so that a thread that
// blocks in code of the plug-in would not be woken by code of the program.
//
// Waits by a futex of Linux.  Not copyable.  Thread-safe.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace plr {

class WaitableNumber {
 public:
  explicit WaitableNumber(std::uint32_t value = 0) : value_(value) {}

  std::uint32_t load(std::memory_order order = std::memory_order_seq_cst) const {
    return value_.load(order);
  }
  // Before a notify function, with the default order: the change must not be overtaken by its look
  // at the number of blocked threads.
  void store(std::uint32_t value, std::memory_order order = std::memory_order_seq_cst) {
    value_.store(value, order);
  }
  // Subtracts 1; returns the number before.
  std::uint32_t decrement() { return value_.fetch_sub(1, std::memory_order_seq_cst); }

  // Returns when the number differs from `old`.
  void wait(std::uint32_t old) const {
    num_blocked_.fetch_add(1, std::memory_order_seq_cst);
    while (value_.load(std::memory_order_seq_cst) == old) futex(FUTEX_WAIT_PRIVATE, old);
    num_blocked_.fetch_sub(1, std::memory_order_seq_cst);
  }
  void notify_one() const { wake(1); }
  void notify_all() const { wake(INT_MAX); }

 private:
  void wake(std::uint32_t most) const {
    if (num_blocked_.load(std::memory_order_seq_cst) != 0) futex(FUTEX_WAKE_PRIVATE, most);
  }
  // Errors are an interrupted wait and a number that has changed already: the caller looks again.
  void futex(int operation, std::uint32_t argument) const {
    static_assert(sizeof value_ == 4 && decltype(value_)::is_always_lock_free);
    ::syscall(SYS_futex, &value_, operation, argument, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> value_;
  mutable std::atomic<std::uint32_t> num_blocked_ = 0;
};

}  // namespace plr

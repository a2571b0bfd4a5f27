// A coroutine that plays one slot.
//
//   SlotTask play(std::atomic<Wait>& wait) {
//     for (;;) {
//       co_await Suspend{wait, Wait::kResult};   // until a thread resumes it
//       ...
//     }
//   }
//
// A suspended task is resumed by the thread that changes `wait` from the awaited event to kRunning,
// so that one thread at a time runs it.  A task lets no exception escape.  Movable.  resume() is
// called by one thread at a time.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace plr::collect {

// The event that a slot's task waits for.
enum class Wait : std::uint8_t {
  kRunning,  // none: a thread runs it
  kRollout,  // the next rollout
  kTurn,     // none: it can continue
  kResult,   // the result of inference
  kLevel,    // the next level, which is drawn when every slot has finished the same step
};

// Suspends the task.  Storing the event is the last access to it: from then on another thread may
// resume the task.
struct Suspend {
  std::atomic<Wait>& wait;
  Wait event;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) const noexcept {
    wait.store(event, std::memory_order_release);
  }
  void await_resume() const noexcept {}
};

class SlotTask {
 public:
  struct promise_type {
    SlotTask get_return_object() {
      return SlotTask(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  SlotTask(SlotTask&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  SlotTask& operator=(SlotTask&&) = delete;
  ~SlotTask() {
    if (handle_) handle_.destroy();
  }

  // REQUIRES: suspended.
  void resume() { handle_.resume(); }

 private:
  explicit SlotTask(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace plr::collect

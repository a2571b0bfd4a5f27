#include "plr/collect/slot_tasks.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "plr/env/spinner.h"

namespace plr::collect {
namespace {

// How long an idle worker waits before it runs the tasks of others, and before it blocks.  A game
// that another thread has stepped is not in its cache: stealing at once made Procgen's steps a
// third slower.
constexpr std::chrono::microseconds kBeforeSteal(30);
constexpr std::chrono::microseconds kBeforeBlock(400);

}  // namespace

SlotTasks::SlotTasks(VectorEnv& env, Inference& inference, StepLog& log)
    : env_(env),
      inference_(inference),
      log_(log),
      num_steps_(static_cast<int>(log.shape().num_steps)),
      first_slot_(static_cast<std::size_t>(log.own_slots().begin)),
      slots_(static_cast<std::size_t>(env.spec().num_slots)),
      wide_size_(env.spec().actions.wide_size()),
      wide_actions_(log.shape().num_steps * slots_.size() * wide_size_),
      wide_words_(slots_.size() * wide_size_),
      words_(slots_.size() * env.spec().actions.size()),
      rewards_(slots_.size()),
      terminated_(slots_.size()),
      truncated_(slots_.size()),
      out_{inference.observations(), rewards_, terminated_, truncated_} {
  tasks_.reserve(slots_.size());
  for (int slot = 0; slot < env.spec().num_slots; ++slot) tasks_.push_back(play(slot));
}

SlotTask SlotTasks::play(int number) {
  const auto slot = static_cast<std::size_t>(number);
  SlotProgress& progress = slots_[slot];
  const InferenceResult& result = inference_.results()[slot];
  try {
    for (;;) {
      for (int step = 0; step < num_steps_; ++step) {
        co_await submit_observation(slot, step);
        if (!std::exchange(progress.has_stepped, false)) {
          env_.step_slot(number, action_of(slot, step, result), out_);
        }
        const bool has_ended = out_.ended(number);
        record(step, slot) = {.result = result,
                              .reward = rewards_[slot],
                              .has_ended = has_ended,
                              .is_solved = has_ended && env_.has_solved(number)};
        progress.begins_episode = has_ended;
        progress.num_finished.store(step + 1, std::memory_order_release);
        if (!has_ended) continue;

        if (!repeats_levels_) {
          co_await Suspend{progress.wait, Wait::kLevel};
          progress.has_next_level.store(false, std::memory_order_relaxed);
        }
        env_.start_slot({number, progress.next_level}, out_);
      }
      // The value after the last step, for episodes that are still open.
      co_await submit_observation(slot, num_steps_);
      record(num_steps_, slot).result = result;
      progress.num_finished.store(num_steps_ + 1, std::memory_order_release);
      co_await Suspend{progress.wait, Wait::kRollout};
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

StepRecord& SlotTasks::record(int step, std::size_t slot) {
  return log_.row(static_cast<std::size_t>(step))[first_slot_ + slot];
}

// Publishes the slot's observation for inference and waits for the result.
Suspend SlotTasks::submit_observation(std::size_t slot, int step) {
  SlotProgress& progress = slots_[slot];
  mark_pending(inference_.results()[slot]);
  progress.num_observed.store(step + 1, std::memory_order_release);
  return {progress.wait, Wait::kResult};
}

// The slot's action as the environment takes it; keeps what the policy sampled.
std::span<const Action> SlotTasks::action_of(std::size_t slot, int step,
                                             const InferenceResult& result) {
  if (wide_size_ == 0) {
    slots_[slot].action = static_cast<Action>(result.action);
    return {&slots_[slot].action, 1};
  }
  const std::span<Action> words = std::span(wide_words_).subspan(slot * wide_size_, wide_size_);
  const std::size_t row = static_cast<std::size_t>(step) * slots_.size() + slot;
  std::ranges::copy(inference_.wide_actions().subspan(slot * wide_size_, wide_size_),
                    wide_actions_.begin() + static_cast<std::ptrdiff_t>(row * wide_size_));
  take_action(inference_, env_.spec().actions, slot, words);
  return words;
}

// ---- Events ------------------------------------------------------------------------------------

void SlotTasks::start_levels(std::span<const LevelId> levels) {
  std::vector<Start> starts;
  starts.reserve(levels.size());
  for (std::size_t slot = 0; slot < levels.size(); ++slot) {
    starts.push_back({static_cast<int>(slot), levels[slot]});
    slots_[slot].next_level = levels[slot];
    slots_[slot].begins_episode = true;
  }
  env_.start(starts, out_);
}

void SlotTasks::set_level(std::size_t slot, LevelId level) {
  slots_[slot].next_level = level;
  slots_[slot].has_next_level.store(true, std::memory_order_release);
}

int SlotTasks::num_finished_by_all() {
  int least = std::numeric_limits<int>::max();
  for (const SlotProgress& slot : slots_) {
    least = std::min(least, slot.num_finished.load(std::memory_order_acquire));
  }
  if (log_.shape().num_ranks == 1) return least;
  log_.publish(least);
  return log_.num_finished();
}

// Whether the event has happened.
bool SlotTasks::is_due(std::size_t slot, Wait event) const {
  switch (event) {
    case Wait::kTurn:
      return true;
    case Wait::kResult:
      return is_written(inference_.results()[slot]);
    case Wait::kLevel:
      return slots_[slot].has_next_level.load(std::memory_order_acquire);
    case Wait::kRunning:
    case Wait::kRollout:
      break;
  }
  return false;
}

// ---- Threads -----------------------------------------------------------------------------------

void SlotTasks::start() {
  for (SlotProgress& slot : slots_) {
    slot.num_observed.store(0, std::memory_order_relaxed);
    slot.num_finished.store(0, std::memory_order_relaxed);
    slot.wait.store(Wait::kTurn, std::memory_order_release);
  }
  log_.begin_rollout();
  is_over_.store(false, std::memory_order_release);
  env_.workers().start(work_);
}

void SlotTasks::stop() {
  is_over_.store(true, std::memory_order_seq_cst);
  wake_all();
  env_.workers().join();
}

bool SlotTasks::advance() { return advance_all(share_of(0)); }

// The slots whose tasks a worker runs.  The caller has none if others wait for the events that it
// provides.
SlotRange SlotTasks::share_of(int worker) const {
  const int num_workers = env_.workers().num_workers();
  if (num_workers == 1 || !inference_.takes_any_batch()) {
    return part_of_slots(all_slots(), worker, num_workers);
  }
  return worker == 0 ? SlotRange() : part_of_slots(all_slots(), worker - 1, num_workers - 1);
}

void SlotTasks::work(int worker) noexcept {
  const SlotRange own = share_of(worker);
  Spinner spinner;
  while (!is_over_.load(std::memory_order_acquire)) {
    const bool may_steal = spinner.waited() > kBeforeSteal;
    const bool has_advanced =
        env_.spec().prefers_ranges
            ? advance_together(own)
            : advance_slowest(own) || (may_steal && advance_slowest(all_slots()));
    if (has_advanced) {
      spinner.reset();
      continue;
    }
    spinner.pause();
    if (spinner.waited() > kBeforeBlock) {
      block_until_woken();
      spinner.reset();
    }
  }
}

// Continues all tasks that can continue.  Returns false if there was none.
bool SlotTasks::advance_all(SlotRange slots) {
  if (env_.spec().prefers_ranges) return advance_together(slots);
  bool has_advanced = false;
  for (int slot = slots.begin; slot < slots.end; ++slot) has_advanced |= advance_slot(slot);
  return has_advanced;
}

// Continues the task that has made the fewest steps of those that can continue: slots whose episode
// has ended wait for the slowest one.  Returns false if there was none.
bool SlotTasks::advance_slowest(SlotRange slots) {
  int slowest = -1;
  int fewest = std::numeric_limits<int>::max();
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    const SlotProgress& progress = slots_[static_cast<std::size_t>(slot)];
    const int num_finished = progress.num_finished.load(std::memory_order_relaxed);
    if (num_finished >= fewest) continue;
    if (!is_due(static_cast<std::size_t>(slot), progress.wait.load(std::memory_order_acquire))) {
      continue;
    }
    slowest = slot;
    fewest = num_finished;
  }
  return slowest >= 0 && advance_slot(slowest);
}

// The same, with one call of the environment for neighbors that take an action.
bool SlotTasks::advance_together(SlotRange slots) {
  bool has_advanced = false;
  for (int slot = slots.begin; slot < slots.end;) {
    int end = slot;
    while (end < slots.end && claim_step(end)) ++end;
    if (end == slot) {  // it takes no action now
      has_advanced |= advance_slot(slot++);
      continue;
    }
    if (!step_together({slot, end})) return false;
    for (; slot < end; ++slot) tasks_[static_cast<std::size_t>(slot)].resume();
    has_advanced = true;
  }
  return has_advanced;
}

// Takes the actions of slots whose tasks are claimed.  Returns false if a step failed.
bool SlotTasks::step_together(SlotRange slots) {
  const std::size_t size = env_.spec().actions.size();
  const auto begin = static_cast<std::size_t>(slots.begin);
  const auto words =
      std::span(words_).subspan(begin * size, static_cast<std::size_t>(slots.size()) * size);
  for (std::size_t i = 0; i < words.size() / size; ++i) {
    const std::size_t slot = begin + i;
    const int step = slots_[slot].num_finished.load(std::memory_order_relaxed);
    std::ranges::copy(action_of(slot, step, inference_.results()[slot]),
                      words.subspan(i * size).begin());
    slots_[slot].has_stepped = true;
  }
  try {
    env_.step_range(slots, words, out_);
    return true;
  } catch (...) {
    fail(std::current_exception());
    return false;
  }
}

// Claims the task if the slot has an action to take: another result is the value after the last
// step.
bool SlotTasks::claim_step(int number) {
  const SlotProgress& progress = slots_[static_cast<std::size_t>(number)];
  if (progress.wait.load(std::memory_order_acquire) != Wait::kResult) return false;
  if (progress.num_finished.load(std::memory_order_relaxed) == num_steps_) return false;
  return claim(number);
}

bool SlotTasks::advance_slot(int number) {
  if (!claim(number)) return false;
  tasks_[static_cast<std::size_t>(number)].resume();
  return true;
}

// Whether the event for which the task waits has happened; if so, the caller continues the task.
bool SlotTasks::claim(int number) {
  const auto slot = static_cast<std::size_t>(number);
  std::atomic<Wait>& wait = slots_[slot].wait;
  Wait event = wait.load(std::memory_order_acquire);
  if (!is_due(slot, event)) return false;
  if (!wait.compare_exchange_strong(event, Wait::kRunning, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
    return false;
  }
  // Another thread may have continued the task up to its next wait for the same event.
  if (!is_due(slot, event)) {
    wait.store(event, std::memory_order_release);
    return false;
  }
  return true;
}

void SlotTasks::block_until_woken() {
  const std::uint32_t seen = num_wakes_.load(std::memory_order_seq_cst);
  num_blocked_.fetch_add(1, std::memory_order_seq_cst);
  if (!is_over_.load(std::memory_order_seq_cst)) num_wakes_.wait(seen, std::memory_order_seq_cst);
  num_blocked_.fetch_sub(1, std::memory_order_relaxed);
}

// A worker that blocks while this finds nothing is woken by the next call: the caller makes it
// again and again while it waits.
void SlotTasks::wake_workers() {
  if (num_blocked_.load(std::memory_order_seq_cst) > 0 && is_any_active()) wake_all();
}

bool SlotTasks::is_any_active() const {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const Wait event = slots_[slot].wait.load(std::memory_order_acquire);
    if (event == Wait::kRunning || is_due(slot, event)) return true;
  }
  return false;
}

void SlotTasks::wake_all() {
  num_wakes_.fetch_add(1, std::memory_order_seq_cst);
  num_wakes_.notify_all();
}

// ---- Failures ----------------------------------------------------------------------------------

// Keeps the first one.
void SlotTasks::fail(std::exception_ptr error) noexcept {
  Failure none = Failure::kNone;
  if (!failure_.compare_exchange_strong(none, Failure::kBeingStored)) return;
  error_ = std::move(error);
  failure_.store(Failure::kStored, std::memory_order_release);
}

void SlotTasks::rethrow_failure() const {
  if (failure_.load(std::memory_order_acquire) == Failure::kStored) std::rethrow_exception(error_);
}

}  // namespace plr::collect

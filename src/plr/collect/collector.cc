#include "plr/collect/collector.h"

#include <algorithm>
#include <chrono>

#include "plr/base/bytes.h"
#include "plr/env/spinner.h"

namespace plr::collect {
namespace {

using Clock = std::chrono::steady_clock;

// The device is checked for failure if nothing has happened for this long; ranks are
// checked sooner, which is cheap.
constexpr std::chrono::seconds kDeviceTimeout(5);
constexpr std::chrono::milliseconds kRankTimeout(50);

// Attributes the time since the last call to an activity.
class Laps {
 public:
  void add_to(Seconds& activity) {
    const Clock::time_point now = Clock::now();
    activity += now - last_;
    last_ = now;
  }
  Clock::time_point last() const { return last_; }

 private:
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Collector::Collector(const CollectorParts& parts, Random actions)
    : env_(parts.env),
      inference_(parts.inference),
      log_(parts.log),
      actions_(actions),
      tasks_(parts.env, parts.inference, parts.log),
      queue_(parts.inference, parts.log.shape(),
             tasks_.is_only_worker() ? 1 : parts.inference.num_lanes()),
      books_({parts.curriculum, parts.scorer, parts.normalizer}, parts.log.shape().num_slots) {
  tasks_.set_repeats_levels(parts.curriculum == nullptr);
}

void Collector::begin() { start_own(books_.draw_first_levels()); }

void Collector::fill(StepTables& rollout, std::span<const LevelId> levels) {
  books_.begin_rollout(levels);
  start_own(levels);
  fill(rollout);
}

// Starts levels, given for the slots of all ranks, in those of this one.
void Collector::start_own(std::span<const LevelId> levels) {
  const SlotRange own = log_.own_slots();
  tasks_.start_levels(
      levels.subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.size())));
}

void Collector::fill(StepTables& rollout) {
  struct Stop {
    SlotTasks& tasks;
    ~Stop() { tasks.stop(); }
  };
  num_booked_ = 0;
  queue_.begin_rollout(actions_);
  tasks_.start();
  const Stop stop{tasks_};
  Laps laps;
  Spinner spinner;
  Clock::time_point last_progress = laps.last();
  const std::size_t num_steps = log_.shape().num_steps;
  while (tasks_.num_finished_by_all() <= static_cast<int>(num_steps)) {
    bool has_advanced = false;
    if (tasks_.advance()) {
      laps.add_to(times_.environment);
      has_advanced = true;
    }
    if (book_finished_steps(rollout)) {
      laps.add_to(times_.sampler);
      has_advanced = true;
    }
    // A thread that plays all slots itself plays all it can first, so that batches are complete.
    if (!(has_advanced && tasks_.is_only_worker()) && queue_.submit_ready(tasks_.progress())) {
      laps.add_to(times_.acting);
      has_advanced = true;
    }
    if (has_advanced) {
      spinner.reset();
      last_progress = laps.last();
      continue;
    }
    tasks_.rethrow_failure();
    tasks_.wake_workers();
    spinner.pause();
    laps.add_to(tasks_.is_any_active() ? times_.environment : times_.acting);
    if (laps.last() - last_progress > kRankTimeout) log_.check_ranks();
    if (laps.last() - last_progress > kDeviceTimeout) {
      queue_.check_device(tasks_.progress());
      last_progress = laps.last();
    }
  }
  book_finished_steps(rollout);
  books_.end_rollout(log_.row(num_steps), rollout);
  laps.add_to(times_.sampler);
}

// Processes all steps that every slot has finished.  Returns false if there was none.
bool Collector::book_finished_steps(StepTables& rollout) {
  const auto num_finished = static_cast<std::size_t>(tasks_.num_finished_by_all());
  const std::size_t end = std::min(num_finished, log_.shape().num_steps);
  const bool has_steps = num_booked_ < end;
  const SlotRange own = log_.own_slots();
  for (; num_booked_ < end; ++num_booked_) {
    std::ranges::copy(tasks_.wide_actions(num_booked_), rollout.wide_actions[num_booked_].begin());
    for (const Start& start : books_.book(log_.row(num_booked_), num_booked_, rollout)) {
      if (start.slot < own.begin || start.slot >= own.end) continue;
      tasks_.set_level(static_cast<std::size_t>(start.slot - own.begin), start.level);
    }
  }
  return has_steps;
}

SlotStates Collector::slot_states() const {
  const std::span<const std::uint8_t> observations = inference_.observations();
  SlotStates states;
  states.observations.assign(observations.begin(), observations.end());
  for (int slot = 0; slot < env_.spec().num_slots; ++slot) {
    env_.save(slot, states.episodes.emplace_back());
  }
  return states;
}

std::vector<std::byte> Collector::save(const SlotStates& all_slots) const {
  ByteWriter writer;
  writer.random(actions_);
  books_.save(writer);
  all_slots.write(writer);
  return writer.seal("collector", 2);
}

void Collector::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "collector", 2);
  actions_ = reader.random();
  books_.load(reader);
  const SlotStates states =
      SlotStates::read(reader, log_.shape().num_slots, env_.spec().observation_size());
  reader.expect_end();
  const auto first = static_cast<std::size_t>(log_.own_slots().begin);
  const auto num_slots = static_cast<std::size_t>(env_.spec().num_slots);
  const std::span<std::uint8_t> observations = inference_.observations();
  std::ranges::copy(std::span(states.observations)
                        .subspan(first * env_.spec().observation_size(), observations.size()),
                    observations.begin());
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    tasks_.set_begins_episode(slot, books_.begins_episode(first + slot));
    env_.load(static_cast<int>(slot), states.episodes[first + slot]);
  }
}

}  // namespace plr::collect

#include "plr/collect/collector.h"

#include <algorithm>
#include <chrono>

#include "plr/base/bytes.h"
#include "plr/env/spinner.h"

namespace plr::collect {
namespace {

using Clock = std::chrono::steady_clock;

// The device is asked whether it has failed if nothing has happened for this long.
constexpr std::chrono::seconds kDeviceTimeout(5);

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

Collector::Collector(const CollectorParts& parts, Random actions, std::size_t num_steps)
    : env_(parts.env),
      inference_(parts.inference),
      actions_(actions),
      num_steps_(num_steps),
      tasks_(parts.env, parts.inference, num_steps),
      queue_(parts.inference, static_cast<std::size_t>(parts.env.spec().num_slots), num_steps,
             tasks_.is_only_worker() ? 1 : parts.inference.num_lanes()),
      books_({parts.curriculum, parts.scorer, parts.normalizer},
             static_cast<std::size_t>(parts.env.spec().num_slots)) {
  tasks_.set_repeats_levels(parts.curriculum == nullptr);
}

void Collector::begin() { tasks_.start_levels(books_.draw_first_levels()); }

void Collector::fill(StepTables& rollout, std::span<const LevelId> levels) {
  books_.begin_rollout(levels);
  tasks_.start_levels(levels);
  fill(rollout);
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
  while (tasks_.num_finished_by_all() <= static_cast<int>(num_steps_)) {
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
    if (laps.last() - last_progress > kDeviceTimeout) {
      queue_.check_device(tasks_.progress());
      last_progress = laps.last();
    }
  }
  book_finished_steps(rollout);
  books_.end_rollout(tasks_.records(num_steps_), rollout);
  laps.add_to(times_.sampler);
}

// Processes all steps that every slot has finished.  Whether there was one.
bool Collector::book_finished_steps(StepTables& rollout) {
  const auto num_finished = static_cast<std::size_t>(tasks_.num_finished_by_all());
  const std::size_t end = std::min(num_finished, num_steps_);
  const bool has_steps = num_booked_ < end;
  for (; num_booked_ < end; ++num_booked_) {
    const auto starts = books_.book(tasks_.records(num_booked_), num_booked_, rollout);
    for (const Start& start : starts) {
      tasks_.set_level(static_cast<std::size_t>(start.slot), start.level);
    }
  }
  return has_steps;
}

std::vector<std::byte> Collector::save() const {
  ByteWriter writer;
  writer.random(actions_);
  books_.save(writer);
  writer.numbers<std::uint8_t>(inference_.observations());
  std::vector<std::byte> episode;
  for (int slot = 0; slot < env_.spec().num_slots; ++slot) {
    env_.save(slot, episode);
    writer.numbers<std::byte>(episode);
  }
  return writer.seal("collector", 2);
}

void Collector::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "collector", 2);
  actions_ = reader.random();
  books_.load(reader);
  for (std::size_t slot = 0; slot < inference_.results().size(); ++slot) {
    tasks_.set_begins_episode(slot, books_.begins_episode(slot));
  }
  const std::span<std::uint8_t> observations = inference_.observations();
  const auto saved = reader.numbers<std::uint8_t>(observations.size());
  reader.require(saved.size() == observations.size(), "its observations have another shape");
  std::ranges::copy(saved, observations.begin());
  for (int slot = 0; slot < env_.spec().num_slots; ++slot) {
    env_.load(slot, reader.numbers<std::byte>(kMaxNestedState));
  }
  reader.expect_end();
}

}  // namespace plr::collect

#include "plr/train/survey.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "plr/collect/inference.h"
#include "plr/env/spinner.h"
#include "plr/env/worker_pool.h"

namespace plr::train {
namespace {

// Slots that are worth a worker: their steps take about 0.1 ms.
constexpr int kSlotsPerWorker = 1024;
constexpr int kClaimedSlots = 64;  // that a worker takes at a time
constexpr std::size_t kMaxGroups = 2;
// How long a result is waited for before the device is checked for failure.
constexpr std::chrono::milliseconds kBeforeCheck(100);

// The slots of an environment with the arrays of a step.
class SurveySlots {
 public:
  SurveySlots(VectorEnv& env, learn::Backend& backend, int num_workers)
      : env_(env),
        num_slots_(static_cast<std::size_t>(env.spec().num_slots)),
        inference_(backend.make_inference({}, num_slots_, {})),
        workers_(num_workers_for(num_workers, std::max(1, env.spec().num_slots / kSlotsPerWorker))),
        rewards_(num_slots_),
        terminated_(num_slots_),
        truncated_(num_slots_),
        returns_(num_slots_),
        actions_(num_slots_ * env.spec().actions.size()),
        items_(num_slots_) {
    const std::size_t most = inference_->takes_any_batch()
                                 ? std::min({kMaxGroups, inference_->num_lanes(), num_slots_})
                                 : 1;
    const auto num_groups = static_cast<int>(most);
    for (int i = 0; i < num_groups; ++i) {
      groups_.push_back(part_of_slots({0, env.spec().num_slots}, i, num_groups));
    }
    inference_->refresh();
  }

  // A device may still write results of a survey that was stopped.
  ~SurveySlots() {
    try {
      inference_->check_device();
    } catch (...) {  // the survey is over
    }
  }
  SurveySlots(const SurveySlots&) = delete;
  SurveySlots& operator=(const SurveySlots&) = delete;

  std::size_t num_slots() const { return num_slots_; }

  // Starts a level per result and submits the first observations; slots without a result play the
  // last level and are not counted.
  void start(std::span<const SurveyedLevel> results, Random& random) {
    std::vector<Start> starts;
    for (int slot = 0; slot < env_.spec().num_slots; ++slot) {
      const std::size_t result = std::min(static_cast<std::size_t>(slot), results.size() - 1);
      starts.push_back({slot, results[result].level});
    }
    env_.start(starts, batch());
    for (std::size_t lane = 0; lane < groups_.size(); ++lane) {
      draw_uniforms(groups_[lane], random);
      for (int slot = groups_[lane].begin; slot < groups_[lane].end; ++slot) prepare(slot, true);
      submit(lane);
    }
  }

  // One step of all slots. Counts the episodes that end, starts their levels again and, unless the
  // step is the last one, submits the observations.
  void step(Random& random, std::span<SurveyedLevel> results, bool is_last) {
    for (std::size_t lane = 0; lane < groups_.size(); ++lane) {
      const SlotRange group = groups_[lane];
      if (!is_last) draw_uniforms(group, random);
      const int num_parts = (group.size() + kClaimedSlots - 1) / kClaimedSlots;
      workers_.run_throwing({0, num_parts}, [&](int part) {
        step_slots(part_of_slots(group, part, num_parts), results);
      });
      if (!is_last) submit(lane);
    }
  }

 private:
  StepBatch batch() { return {inference_->observations(), rewards_, terminated_, truncated_}; }

  // The numbers belong to step and slot: groups draw in the order of their slots.
  void draw_uniforms(SlotRange group, Random& random) {
    for (int slot = group.begin; slot < group.end; ++slot) {
      items_[static_cast<std::size_t>(slot)].uniform = random.uniform();
    }
  }

  void submit(std::size_t lane) {
    const auto begin = static_cast<std::size_t>(groups_[lane].begin);
    const auto size = static_cast<std::size_t>(groups_[lane].size());
    inference_->submit(lane, std::span(items_).subspan(begin, size));
  }

  // Makes the slot's item ready to be submitted.
  void prepare(int slot, bool begins_episode) {
    const auto i = static_cast<std::size_t>(slot);
    if (begins_episode) returns_[i] = 0;
    items_[i].slot = slot;
    items_[i].step = 0;
    items_[i].begins_episode = begins_episode ? 1 : 0;
    items_[i].value_only = 0;
    collect::mark_pending(inference_->results()[i]);
  }

  // Called by several threads for different slots.
  void step_slots(SlotRange slots, std::span<SurveyedLevel> results) {
    const StepBatch out = batch();
    const ActionSpace& space = env_.spec().actions;
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      collect::InferenceResult& result = inference_->results()[i];
      wait(result);
      const auto action = std::span(actions_).subspan(i * space.size(), space.size());
      collect::take_action(*inference_, space, i, action);
      env_.step_slot(slot, action, out);
      returns_[i] += rewards_[i];
      const bool has_ended = out.ended(slot);
      if (has_ended) {
        if (i < results.size()) count_episode(returns_[i], results[i]);
        env_.start_slot({slot, *env_.level(slot)}, out);
      }
      prepare(slot, has_ended);
    }
  }

  static void count_episode(double episode_return, SurveyedLevel& result) {
    ++result.episodes;
    if (episode_return > 0) ++result.successes;
    result.return_sum += episode_return;
  }

  // Throws std::runtime_error if the device has failed.
  void wait(collect::InferenceResult& result) {
    Spinner spinner;
    while (!collect::is_written(result)) {
      spinner.pause();
      if (spinner.waited() < kBeforeCheck) continue;
      const std::lock_guard lock(mutex_);
      inference_->check_device();
      if (collect::is_written(result)) return;
      throw std::runtime_error("the device has finished inference without writing its results");
    }
  }

  VectorEnv& env_;
  std::size_t num_slots_;
  std::unique_ptr<collect::Inference> inference_;
  std::vector<SlotRange> groups_;  // each is a batch, in a lane of its own
  WorkerPool workers_;
  std::vector<double> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
  std::vector<double> returns_;  // of the episodes that are played
  std::vector<Action> actions_;
  std::vector<collect::InferenceItem> items_;
  std::mutex mutex_;  // guards check_device()
};

}  // namespace

std::vector<SurveyedLevel> survey(VectorEnv& env, learn::Backend& backend,
                                  std::span<const LevelId> levels, const SurveyOptions& options,
                                  Random random, const std::function<bool()>& should_stop) {
  assert(options.num_steps >= 1);
  std::vector<SurveyedLevel> results;
  results.reserve(levels.size());
  for (const LevelId level : levels) results.push_back({.level = level});

  SurveySlots slots(env, backend, options.num_workers);
  for (std::size_t begin = 0; begin < results.size(); begin += slots.num_slots()) {
    const std::size_t count = std::min(slots.num_slots(), results.size() - begin);
    const std::span<SurveyedLevel> part = std::span(results).subspan(begin, count);
    slots.start(part, random);
    for (std::int64_t step = 0; step < options.num_steps; ++step) {
      if (should_stop && should_stop()) return {};
      slots.step(random, part, step + 1 == options.num_steps);
    }
  }
  return results;
}

}  // namespace plr::train

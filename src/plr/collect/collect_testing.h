// An environment, a curriculum and an inference for tests of the collector, without a network.
//
// All are deterministic functions of levels, observations and random numbers; their timing is not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/inference.h"
#include "plr/core/curriculum.h"
#include "plr/env/vector_env.h"

namespace plr::collect {

// A delay at a random place; called by several threads.
using Delay = std::function<void(int slot)>;

// Level L lasts `length(L)` steps; each is rewarded with L + action.  The observation is the level,
// the steps left and a hash of the episode's actions.
class CountdownEnv final : public VectorEnv {
 public:
  using Length = std::function<int(LevelId)>;
  static constexpr int kObsBytes = 4;
  static constexpr LevelId kLastLevel = 199;

  CountdownEnv(int num_slots, int num_workers, Length length, Delay delay = {},
               bool prefers_ranges = false)
      : VectorEnv(make_spec(num_slots, prefers_ranges), num_workers),
        length_(std::move(length)),
        delay_(std::move(delay)),
        slots_(static_cast<std::size_t>(num_slots)) {}

  // Steps so far; may be read while threads step the slots.
  int num_steps(int slot) const { return slots_[static_cast<std::size_t>(slot)].num_steps; }
  // Calls that have stepped one or more slots.
  int num_step_calls() const { return num_step_calls_; }

 private:
  struct alignas(64) Slot {
    LevelId level = 0;
    int left = 0;
    std::uint8_t hash = 0;
    std::atomic<int> num_steps = 0;
  };

  static EnvSpec make_spec(int num_slots, bool prefers_ranges) {
    EnvSpec spec;
    spec.prefers_ranges = prefers_ranges;
    spec.name = "test/countdown";
    spec.num_slots = num_slots;
    spec.observation_shape = {1, kObsBytes, 1};
    spec.actions = ActionSpace::discrete(3);
    spec.max_steps = 1'000'000;
    spec.last_level = kLastLevel;
    spec.full_distribution = LevelSet::stream(0, kLastLevel + 1);
    return spec;
  }

  void observe(int slot, const StepBatch& out) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    std::uint8_t* obs = out.observations.data() + slot * kObsBytes;
    obs[0] = static_cast<std::uint8_t>(s.level);
    obs[1] = static_cast<std::uint8_t>(s.left);
    obs[2] = static_cast<std::uint8_t>(s.left / 256);
    obs[3] = s.hash;
  }
  void start_level(int slot, LevelId level, const StepBatch& out) override {
    if (delay_) delay_(slot);
    Slot& s = slots_[static_cast<std::size_t>(slot)];
    s.level = level;
    s.left = length_(level);
    s.hash = 0;
    observe(slot, out);
  }
  void step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) override {
    ++num_step_calls_;
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      if (delay_) delay_(slot);
      const auto i = static_cast<std::size_t>(slot);
      const Action action = actions[static_cast<std::size_t>(slot - slots.begin)];
      Slot& s = slots_[i];
      --s.left;
      s.hash = static_cast<std::uint8_t>(31 * s.hash + action + 1);
      out.rewards[i] = static_cast<double>(s.level) + action;
      out.terminated[i] = s.left == 0 ? 1 : 0;
      out.truncated[i] = 0;
      observe(slot, out);
      ++s.num_steps;
    }
  }
  void save_episode(int slot, ByteWriter& out) const override {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    out.number<std::int32_t>(s.left);
    out.number(s.hash);
  }
  void load_episode(int slot, LevelId level, bool, ByteReader& in) override {
    const auto left = in.number<std::int32_t>();
    const auto hash = in.number<std::uint8_t>();
    in.expect_end();
    Slot& s = slots_[static_cast<std::size_t>(slot)];
    s.level = level;
    s.left = left;
    s.hash = hash;
  }

  Length length_;
  Delay delay_;
  std::vector<Slot> slots_;
  std::atomic<int> num_step_calls_ = 0;
};

// Returns a given list of levels and logs every draw and record.
class Scripted final : public Curriculum {
 public:
  explicit Scripted(std::vector<LevelId> levels) : levels_(std::move(levels)) {}
  LevelId next() override {
    events.push_back("draw " + std::to_string(levels_.at(next_)));
    return levels_[next_++];
  }
  void record(const EpisodeResult& result) override {
    events.push_back("record " + std::to_string(result.level) + " return " +
                     std::to_string(static_cast<int>(result.episode_return)));
  }
  std::vector<LevelWeight> weights() const override { return {}; }
  std::vector<std::byte> save() const override { return {}; }
  void load(std::span<const std::byte>) override {}

  std::vector<std::string> events;

 private:
  std::vector<LevelId> levels_;
  std::size_t next_ = 0;
};

// A function of observation and uniform number instead of a network.  With a delay, results are
// written by a thread of its own, each after the delay.
class FakeInference final : public Inference {
 public:
  FakeInference(int num_slots, int num_steps, bool takes_any_batch, Delay delay = {})
      : takes_any_batch_(takes_any_batch),
        delay_(std::move(delay)),
        observations_(static_cast<std::size_t>(num_slots * CountdownEnv::kObsBytes)),
        results_(static_cast<std::size_t>(num_slots)),
        history_(static_cast<std::size_t>((num_steps + 1) * num_slots * CountdownEnv::kObsBytes)) {
    if (delay_) thread_ = std::jthread([this](const std::stop_token& stop) { compute_all(stop); });
  }

  std::span<std::uint8_t> observations() override { return observations_; }
  std::span<InferenceResult> results() override { return results_; }
  bool takes_any_batch() const override { return takes_any_batch_; }
  std::size_t group_size() override { return results_.size() / num_groups; }
  std::size_t num_lanes() const override { return 3; }
  void refresh() override {}
  void check_device() override {}
  void submit(std::size_t /*lane*/, std::span<const InferenceItem> items) override {
    batch_sizes.push_back(items.size());
    if (!delay_) {
      for (const InferenceItem& item : items) compute(item);
      return;
    }
    const std::scoped_lock lock(mutex_);
    queue_.insert(queue_.end(), items.begin(), items.end());
  }

  static float value_of(std::span<const std::uint8_t> obs) {
    return static_cast<float>(obs[0] + 3 * obs[1] + 5 * obs[3]) / 64;
  }

  // [T+1, N, kObsBytes]: the observations of the last rollout.
  const std::vector<std::uint8_t>& history() const { return history_; }

  std::vector<std::size_t> batch_sizes;
  std::size_t num_groups = 1;

 private:
  void compute(const InferenceItem& item) {
    constexpr auto kBytes = static_cast<std::size_t>(CountdownEnv::kObsBytes);
    const auto slot = static_cast<std::size_t>(item.slot);
    const auto step = static_cast<std::size_t>(item.step);
    const auto obs = std::span(observations_).subspan(slot * kBytes, kBytes);
    std::ranges::copy(obs, history_.begin() + static_cast<std::ptrdiff_t>(
                                                  (step * results_.size() + slot) * kBytes));
    const int action = static_cast<int>(item.uniform * 3);
    write_result({static_cast<float>(action), static_cast<float>(item.uniform), value_of(obs), 0},
                 results_[slot]);
  }
  void compute_all(const std::stop_token& stop) {
    std::vector<InferenceItem> mine;
    while (!stop.stop_requested()) {
      {
        const std::scoped_lock lock(mutex_);
        std::swap(mine, queue_);
      }
      for (const InferenceItem& item : mine) {
        delay_(item.slot);
        compute(item);
      }
      mine.clear();
      std::this_thread::yield();
    }
  }

  bool takes_any_batch_;
  Delay delay_;
  std::vector<std::uint8_t> observations_;
  std::vector<InferenceResult> results_;
  std::vector<std::uint8_t> history_;
  std::mutex mutex_;
  std::vector<InferenceItem> queue_;
  std::jthread thread_;  // the last member, so that it ends first
};

}  // namespace plr::collect

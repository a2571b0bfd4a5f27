// The interface of all environments: N slots, each of which plays one level.
//
// A VectorEnv never resets itself and never picks a level: start() begins a level in a slot, step()
// acts, and a slot whose episode has ended stays idle until the next start().  The caller owns the
// buffers; environments write into them in place.
//
//   const std::unique_ptr<VectorEnv> env = make_env("minigrid/MultiRoom-N4-Random");  // catalog/
//   StepBuffers buffers(env->spec());
//   const StepBatch batch = buffers.batch();
//   env->start(starts, batch);                       // {slot, level} pairs
//   env->step({0, env->spec().num_slots}, actions, batch);
//   if (batch.ended(3)) ...                          // start another level in slot 3
//
// Equal levels followed by equal actions give equal episodes, independent of what the slot played
// before.  conformance.h tests this and every other rule of this header.
//
// An implementation overrides the private virtual functions, which are called with checked
// arguments.  Not copyable.  Not thread-safe, with one exception: different threads may start and
// step different slots at the same time, by start_slot(), step_slot() and step_range().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/core/level.h"
#include "plr/env/slot_range.h"
#include "plr/env/spaces.h"
#include "plr/env/worker_pool.h"

namespace plr {

// A level to start in a slot.
struct Start {
  int slot = 0;
  LevelId level = 0;
};

// The facts about an environment.
struct EnvSpec {
  std::string name;  // as make_env() takes it
  int num_slots = 0;
  std::array<int, 3> observation_shape = {};  // [H, W, C]; [1, 1, n] for a vector
  ElementType observation_type = ElementType::kByte;
  // If above 0, the last channel is the agent's direction 0..num_directions-1, equal in all cells.
  int num_directions = 0;
  ActionSpace actions = {};
  int max_steps = 0;       // no episode is longer
  LevelId last_level = 0;  // levels are 0..last_level, and stored ones
  // If above 0, these many levels are all: level i is level i % num_fixed_levels.  0: levels are
  // generated from their ids.
  LevelId num_fixed_levels = 0;
  // The levels of a run that trains or evaluates on the full distribution.  One level, as by
  // default, stands for all of 0..last_level.
  LevelSet full_distribution = LevelSet::stream(0, 1);
  int num_difficulties = 0;  // 0: the levels have no difficulty
  // A step of many slots by one call is much cheaper than a call for each: the environment is in
  // another process.
  bool prefers_ranges = false;

  // The level with this number, beginning again after the last one.
  LevelId level_modulo(std::uint64_t number) const {
    return number <= last_level ? number : number % (last_level + 1);
  }

  // Bytes of one observation.
  std::size_t observation_size() const {
    const auto [height, width, channels] = observation_shape;
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
           static_cast<std::size_t>(channels) * size_of(observation_type);
  }
};

// The output of an environment: views of the caller's memory for all its slots.
struct StepBatch {
  std::span<std::uint8_t> observations;  // [N, H, W, C], elements of the spec's type
  std::span<double> rewards;             // [N], not normalized
  std::span<std::uint8_t> terminated;    // [N], 1: the task ended the episode
  std::span<std::uint8_t> truncated;     // [N], 1: the step limit did; both can be 1

  bool ended(int slot) const {
    const auto i = static_cast<std::size_t>(slot);
    return (terminated[i] | truncated[i]) != 0;
  }

  // Writes an observation whose elements are floats.
  void observe(int slot, std::span<const float> elements) const {
    const auto offset = static_cast<std::size_t>(slot) * elements.size_bytes();
    std::memcpy(observations.data() + offset, elements.data(), elements.size_bytes());
  }
};

// Memory for a StepBatch.  Copyable; not thread-safe.
class StepBuffers {
 public:
  explicit StepBuffers(const EnvSpec& spec);
  // Valid until the buffers are moved or destroyed.
  StepBatch batch() { return {observations_, rewards_, terminated_, truncated_}; }

 private:
  std::vector<std::uint8_t> observations_;
  std::vector<double> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
};

class VectorEnv {
 public:
  virtual ~VectorEnv() = default;
  VectorEnv(const VectorEnv&) = delete;
  VectorEnv& operator=(const VectorEnv&) = delete;

  const EnvSpec& spec() const { return spec_; }

  // Invalid arguments of the functions below: std::out_of_range for a slot or a level that does not
  // exist, std::invalid_argument otherwise.  Nothing has changed then.  An exception of the
  // implementation is passed on, from any thread; do not use the environment afterwards.  Rewards
  // and elements of observations that are not finite are a std::runtime_error.

  // Starts levels.  Writes the first observations of these slots and nothing else: rewards and ends
  // of their last step stay.
  // REQUIRES: each slot is named at most once.
  void start(std::span<const Start> starts, const StepBatch& out);

  // Takes one action in each slot of the range, spec().actions.size() words per slot.  Writes the
  // observation after it (also after the last action of an episode), its reward, and whether the
  // episode ended.
  // REQUIRES: all slots of the range are running.
  void step(SlotRange slots, std::span<const Action> actions, const StepBatch& out);

  // The same for one slot, on the calling thread.
  // REQUIRES: arguments as above, which are not checked; one thread at a time per slot.
  void start_slot(const Start& start, const StepBatch& out);
  void step_slot(int slot, std::span<const Action> action, const StepBatch& out);
  // The same for the slots of a range.
  void step_range(SlotRange slots, std::span<const Action> actions, const StepBatch& out);

  // The threads on which start() and step() run.  They are free between calls.
  WorkerPool& workers() { return workers_; }
  const WorkerPool& workers() const { return workers_; }

  // Whether the level exists: it is at most last_level, or in the store of the environment
  // (core/level_store.h).
  bool has_level(LevelId level) const { return level <= spec_.last_level || stores(level); }
  // The name of a level; empty where levels have none.
  std::string level_name(LevelId level) const;
  // The level that a slot plays or played last; nothing before its first start.
  std::optional<LevelId> level(int slot) const;
  // Whether the slot has an episode that has not ended.
  bool is_running(int slot) const;
  // Whether the slot's last episode that ended since load() solved its level.
  bool has_solved(int slot) const;
  // The task of the slot's level in words; empty where levels have no mission.
  std::string_view mission(int slot) const;
  // From 0, the easiest; nothing where levels have no difficulty.  May cost as much as a start.
  std::optional<int> difficulty(LevelId level) const;

  // Saves the state that determines how a slot continues, without the observation.  Any slot of any
  // environment with the same name can load it.  save() throws std::runtime_error for a state above
  // kMaxNestedState bytes; load() throws std::runtime_error for bytes that
  // are damaged or come from another environment; nothing has changed then.
  void save(int slot, std::vector<std::byte>& out) const;
  void load(int slot, std::span<const std::byte> in);

 protected:
  // Throws std::invalid_argument naming the field of the spec that is invalid.
  // REQUIRES: num_workers >= 1.
  explicit VectorEnv(EnvSpec spec, int num_workers = 1);

 private:
  enum class Phase : std::uint8_t { kNotStarted, kRunning, kEnded };

  // Called for different slots by different threads at the same time.
  virtual void start_level(int slot, LevelId level, const StepBatch& out) = 0;
  virtual void step_slots(SlotRange slots, std::span<const Action> actions,
                          const StepBatch& out) = 0;
  // Called when an episode ends.  By default a level is solved if its last action was rewarded.
  virtual bool solved_by(int /*slot*/, double last_reward) const { return last_reward > 0; }
  virtual std::string_view mission_of(int /*slot*/) const { return {}; }
  virtual std::optional<int> difficulty_of(LevelId /*level*/) const { return std::nullopt; }
  virtual std::string level_name_of(LevelId /*level*/) const { return {}; }
  // Whether a level above last_level exists.
  virtual bool stores(LevelId /*level*/) const { return false; }
  // Called for an episode that has been started and may have ended.  load_episode() reads all of
  // `in` and calls in.expect_end() before it changes anything; in.fail() refuses the bytes.
  virtual void save_episode(int slot, ByteWriter& out) const = 0;
  virtual void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) = 0;

  [[noreturn]] void refuse_reward(int slot, double reward) const;
  void check_slot(int slot) const;
  void check_level(LevelId level) const;
  void check_buffers(const StepBatch& out) const;
  void check_observations(SlotRange slots, const StepBatch& out) const;
  void check_starts(std::span<const Start> starts);
  void check_actions(SlotRange slots, std::span<const Action> actions) const;

  EnvSpec spec_;
  std::vector<Phase> phases_;              // [N]
  std::vector<std::uint8_t> solved_;       // [N]; of the slot's last ended episode
  std::vector<LevelId> levels_;            // [N]; undefined before the first start
  std::vector<std::uint64_t> started_in_;  // [N]; number of the last start that named the slot
  std::uint64_t num_start_calls_ = 0;
  WorkerPool workers_;
};

}  // namespace plr

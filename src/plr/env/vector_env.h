// How are many environments played at once?
//
// A VectorEnv has N slots, each of which plays one level.  It never resets itself and never picks a
// level: start() begins one, step() acts, and a slot whose episode has ended waits for another
// start().  The buffers belong to the caller; environments write into them in place.
//
//   const std::unique_ptr<VectorEnv> env = make_env("minigrid/MultiRoom-N4-Random");  // catalog/
//   StepBuffers buffers(env->spec());
//   const StepBatch batch = buffers.batch();
//   env->start(starts, batch);                       // {slot, level} pairs
//   env->step({0, env->spec().num_slots}, actions, batch);
//   if (batch.ended(3)) ...                          // start another level in slot 3
//
// Equal levels begin equal episodes, whatever was played before in that slot; the same actions go
// on equally.  conformance.h checks that and everything else that is promised here.
//
// Whoever writes an environment fills in the private functions: every argument has been checked
// when they are called.  One virtual call per batch, none per slot.  Not copied; not synchronized.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/core/level.h"

namespace plr {

using Action = std::int32_t;

// A level to begin in a slot.
struct Start {
  int slot = 0;
  LevelId level = 0;
};

// The slots begin <= slot < end.
struct SlotRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

// One of several parts of the slots 0..num_slots-1, as equal as can be.
inline SlotRange part_of_slots(int num_slots, int part, int num_parts) {
  return {num_slots * part / num_parts, num_slots * (part + 1) / num_parts};
}

// What an environment is.
struct EnvSpec {
  std::string name;  // as make_env takes it
  int num_slots = 0;
  std::array<int, 3> observation_shape = {};  // [H, W, C] bytes
  int num_actions = 0;                        // actions are 0..num_actions-1
  int max_steps = 0;                          // no episode is longer
  LevelId last_level = 0;                     // levels are 0..last_level
  // What is meant by all levels, where a run trains or evaluates on the full distribution.
  LevelSet full_distribution = LevelSet::stream(0, 1);
  int num_difficulties = 0;  // degrees of difficulty; 0: the levels have none

  // Bytes of one observation.
  std::size_t observation_size() const {
    const auto [height, width, channels] = observation_shape;
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
           static_cast<std::size_t>(channels);
  }
};

// Where environments write: views of the caller's memory, for all slots of the environment.
struct StepBatch {
  std::span<std::uint8_t> observations;  // [N, H, W, C]
  std::span<double> rewards;             // [N], as the environment gives them
  std::span<std::uint8_t> terminated;    // [N]  1: the task ended the episode
  std::span<std::uint8_t> truncated;     // [N]  1: the step limit did; both can be 1

  bool ended(int slot) const {
    const auto i = static_cast<std::size_t>(slot);
    return (terminated[i] | truncated[i]) != 0;
  }
};

// Memory for a StepBatch.
class StepBuffers {
 public:
  explicit StepBuffers(const EnvSpec& spec);
  // Valid as long as the buffers live where they are.
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

  // What all of the following do with wrong arguments: std::out_of_range for a slot or a level that
  // does not exist, std::invalid_argument for anything else, and nothing has changed.

  // Begins levels, each slot at most once per call.  Writes the first observations of these slots
  // and nothing else: what the last step said about them stays.
  void start(std::span<const Start> starts, const StepBatch& out);

  // One action for each slot of the range, all of which must have an episode that goes on.  Writes
  // what is observed after it (also after the last one), its reward and whether it ended.
  void step(SlotRange slots, std::span<const Action> actions, const StepBatch& out);

  // The same in two halves, between which the caller can do something else, also with other slots:
  // what is begun may be under way until it is finished.  `lane` tells such things apart; the
  // arguments must stay as they are until then.  start() and step() use lane 0.
  void begin_start(int lane, std::span<const Start> starts, const StepBatch& out);
  void finish_start(int lane, std::span<const Start> starts);
  void begin_step(int lane, SlotRange slots, std::span<const Action> actions, const StepBatch& out);
  void finish_step(int lane, SlotRange slots, const StepBatch& out);
  // Whether what was begun in a lane can be finished without waiting.
  bool is_done(int lane) const { return is_lane_done(lane); }
  // Does a small part of what is under way, for a caller that has nothing else to do.
  void help() { help_along(); }
  static constexpr int kNumLanes = 4;

  // The level that a slot plays or has played last; nothing before its first start.
  std::optional<LevelId> level(int slot) const;
  // Whether a slot can be stepped.
  bool is_running(int slot) const;
  // Whether the episode that was stepped to its end last in a slot solved its level.
  bool has_solved(int slot) const;
  // The task of the slot's level in words; empty where there are none.
  std::string_view mission(int slot) const;
  // From 0, easiest; nothing where levels have no degree.  May cost as much as a start.
  std::optional<int> difficulty(LevelId level) const;

  // Everything that decides how a slot goes on; the observation belongs to the caller.  Any slot of
  // any environment of the same kind can load it.  load() throws std::runtime_error for bytes that
  // are damaged or of another environment; nothing has changed then.
  void save(int slot, std::vector<std::byte>& out) const;
  void load(int slot, std::span<const std::byte> in);

 protected:
  explicit VectorEnv(EnvSpec spec);

 private:
  enum class Phase : std::uint8_t { kNotStarted, kRunning, kEnded };

  // Both may leave the rest to finish(lane), where something else can be done meanwhile.
  virtual void start_levels(int lane, std::span<const Start> starts, const StepBatch& out) = 0;
  virtual void step_slots(int lane, SlotRange slots, std::span<const Action> actions,
                          const StepBatch& out) = 0;
  virtual void finish(int /*lane*/) {}
  virtual bool is_lane_done(int /*lane*/) const { return true; }
  virtual void help_along() {}
  // Of an episode that has just ended: by default, whether its last action was rewarded.
  virtual bool solved_by(int /*slot*/, double last_reward) const { return last_reward > 0; }
  virtual std::string_view mission_of(int /*slot*/) const { return {}; }
  virtual std::optional<int> difficulty_of(LevelId /*level*/) const { return std::nullopt; }
  // An episode of `level`, started and perhaps ended.  load_episode reads all of `in` and calls
  // in.expect_end() before it changes anything; in.fail() refuses.
  virtual void save_episode(int slot, ByteWriter& out) const = 0;
  virtual void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) = 0;

  void check_lane(int lane) const;
  void check_slot(int slot) const;
  void check_level(LevelId level) const;
  void check_buffers(const StepBatch& out) const;
  void check_starts(std::span<const Start> starts);
  void check_actions(SlotRange slots, std::span<const Action> actions) const;

  EnvSpec spec_;
  std::vector<Phase> phases_;              // [N]
  std::vector<std::uint8_t> solved_;       // [N]; of the episode that ended last
  std::vector<LevelId> levels_;            // [N]; meaningless before the first start
  std::vector<std::uint64_t> started_in_;  // [N]; the call of start() that named the slot last
  std::uint64_t num_start_calls_ = 0;
};

}  // namespace plr

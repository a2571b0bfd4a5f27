// An environment whose slots are played by other processes: a Python environment.
//
//   RemoteEnv env("python/CartPole-v1", socket, {.num_slots = 64, .num_workers = 4});
//
// Four processes play 16 slots each (slot_process.h), and four threads wait for them. A step of
// several slots is one request to each process that has some of them. A level is started by the
// environment's reset(seed=level).
//
// Where the environment cannot save its state, a loaded episode is cut: its next step has the
// reward 0 and truncates it, whatever the action is. An error of a process, and a reward or an
// observation that is not finite, is a std::runtime_error, after which the environment cannot be
// used. Thread-safe as VectorEnv is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/remote/slot_process.h"

namespace plr::remote {

class RemoteEnv final : public VectorEnv {
 public:
  RemoteEnv(const std::string& name, const std::filesystem::path& socket,
            const EnvOptions& options);

 private:
  using Processes = std::vector<std::unique_ptr<SlotProcess>>;
  // A slot of a process.
  struct Place {
    SlotProcess* process;
    int slot;
  };

  RemoteEnv(const std::string& name, const EnvOptions& options, Processes processes);

  static Processes make_processes(const std::filesystem::path& socket, const EnvOptions& options);
  static EnvSpec make_spec(const std::string& name, const EnvOptions& options,
                           const Processes& processes);

  void start_level(int slot, LevelId level, const StepBatch& out) override;
  void step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) override;
  bool solved_by(int slot, double last_reward) const override;
  void save_episode(int slot, ByteWriter& out) const override;
  void load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) override;

  void step_in_processes(SlotRange slots, std::span<const Action> actions, const StepBatch& out);
  void cut_episode(int slot, const StepBatch& out);
  Place place_of(int slot) const;
  void copy_observation(const Place& place, int slot, const StepBatch& out) const;
  // Throws std::runtime_error.
  [[noreturn]] void refuse(int slot, const std::string& what) const;
  void copy_results(const Place& place, int slot, const StepBatch& out);

  Processes processes_;
  std::vector<int> first_slots_;      // of each process, and the number of all slots
  std::vector<std::uint8_t> is_cut_;  // [N]: the slot's episode could not be loaded
  std::vector<std::uint8_t> solved_;  // [N]: as in slot_process.h
  std::vector<LevelId> played_;       // [N]: the slot's level, for messages
};

}  // namespace plr::remote

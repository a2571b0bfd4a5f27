// The part of a run that this rank computes, and what it agrees on with the others.
//
//   RankShare share(world, config);            // config.schedule.shards is resolved
//   env = make_env(config, share.own_slots().size());
//   Ppo ppo(*backend, config.ppo, stream, share.gradient_shards());
//
// A run is divided into shards: parts of its slots, of each evaluation and of each survey.  Every
// rank computes some of them; results are put together in the order of shards, so that they do not
// depend on the number of ranks.  Everything else, curriculum, scores, rewards and weights, is
// computed by all ranks alike.
//
// The functions that exchange something are called by all ranks in the same order, and throw
// collect::RankLost if a rank has failed.  Copyable with a shared world.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plr/base/random.h"
#include "plr/collect/slot_states.h"
#include "plr/distributed/world.h"
#include "plr/env/slot_range.h"
#include "plr/learn/shards.h"
#include "plr/train/config.h"
#include "plr/train/evaluator.h"

namespace plr::train {

class RankShare {
 public:
  RankShare(std::shared_ptr<distributed::World> world, const TrainConfig& config);

  distributed::World& world() const { return *world_; }
  bool is_first() const { return world_->is_first(); }
  SlotRange own_slots() const { return own_slots_; }
  // Slots of each inference batch that must have a fixed size are those of a shard.
  std::size_t num_groups() const { return static_cast<std::size_t>(shards_.own); }
  const learn::Shards& gradient_shards() const { return shards_; }
  // Environment workers of this rank: those of the settings, or its part of the machine's CPUs.
  int num_workers(const EnvOptions& options) const;
  // Of an evaluation of `num_episodes` episodes, those of a shard.
  std::int64_t episodes_of_shard(std::int64_t num_episodes) const;

  // A line about the ranks; none if there is one.
  std::vector<std::string> notes() const;

  // The device of this rank: of several GPUs, its own.
  at::Device device(const learn::ComputeConfig& compute);

  // Plays an episode on each level: shard s plays levels s, s + S, s + 2S, ...
  Evaluation evaluate(Evaluator& evaluator, const std::vector<LevelId>& levels,
                      const Streams& streams, const std::string& stream,
                      const EvaluationWatch& watch) const;

  // The numbers that `survey` returns for each part of the levels, given with its stream, of all
  // parts; empty if a part is empty, because it was stopped.
  using Survey = std::function<std::vector<double>(std::span<const LevelId> levels, Random random)>;
  std::vector<double> survey(std::span<const LevelId> levels, const Streams& streams,
                             const std::string& stream, const Survey& survey) const;

  // The episodes of all ranks' slots, and a tensor whose rows belong to the slots.
  collect::SlotStates gather(const collect::SlotStates& own) const;
  at::Tensor gather_rows(const at::Tensor& own) const;

  // Whether some rank wants to stop.  Throws std::runtime_error naming a rank whose digest differs
  // from that of rank 0: its state is not that of the others.  With one rank, `digest` is not
  // called.
  bool agree_to_stop(bool wants_stop, const std::function<std::uint64_t()>& digest) const;

 private:
  std::vector<LevelId> part_of(const std::vector<LevelId>& levels, std::int64_t shard) const;

  std::shared_ptr<distributed::World> world_;
  learn::Shards shards_;
  SlotRange own_slots_;
};

// A number that depends on every bit of the weights, computed on their device.
std::uint64_t digest_of(const at::Tensor& weights);

}  // namespace plr::train

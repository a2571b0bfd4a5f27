#include "plr/train/checkpoint_parts.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/train/agent.h"

namespace plr::train {
namespace {

// Names of the states in a checkpoint.
constexpr const char* kCurriculum = "curriculum";
constexpr const char* kScorer = "scorer";
constexpr const char* kNormalizer = "normalizer";
constexpr const char* kRegularizers = "regularizers";
constexpr const char* kCollector = "collector";
constexpr const char* kMinibatches = "minibatches";

constexpr int kMinibatchesVersion = 1;

// The tensors of a checkpoint, as views; `policy_state` has the states of all ranks' slots.
std::vector<learn::NamedTensor> tensors_of(const CheckpointParts& parts,
                                           const at::Tensor& policy_state) {
  std::vector<learn::NamedTensor> tensors = parts.ppo.state();
  if (policy_state.defined()) tensors.push_back({"policy_state", policy_state});
  return tensors;
}

}  // namespace

run::Checkpoint compose_checkpoint(const CheckpointParts& parts) {
  const collect::SlotStates slots = parts.share.gather(parts.collector.slot_states());
  const at::Tensor& own_state = parts.rollout.state();
  const at::Tensor state = own_state.defined() ? parts.share.gather_rows(own_state) : own_state;
  ByteWriter minibatches;
  minibatches.random(parts.ppo.stream());
  run::Checkpoint checkpoint;
  checkpoint.states = {{kCurriculum, parts.curriculum.save()},
                       {kScorer, parts.scorer.save()},
                       {kNormalizer, parts.normalizer.save()},
                       {kRegularizers, parts.regularizers.save()},
                       {kCollector, parts.collector.save(slots)},
                       {kMinibatches, minibatches.seal(kMinibatches, kMinibatchesVersion)}};
  if (parts.store != nullptr) checkpoint.states[kLevelStoreState] = parts.store->save();
  checkpoint.tensors = to_bytes(tensors_of(parts, state));
  return checkpoint;
}

void restore_checkpoint(const run::Checkpoint& checkpoint, const CheckpointParts& parts,
                        const std::filesystem::path& folder) {
  const auto state = [&](const char* name) -> const std::vector<std::byte>& {
    const auto found = checkpoint.states.find(name);
    if (found == checkpoint.states.end()) {
      throw std::runtime_error("the checkpoint in " + folder.string() + " has no state of the " +
                               name);
    }
    return found->second;
  };
  const SlotRange own = parts.rollout.own_slots();
  at::Tensor policy_state;
  if (parts.rollout.state().defined()) {
    policy_state = at::zeros(
        {static_cast<std::int64_t>(parts.rollout.num_slots()), parts.rollout.state().size(1)});
  }
  from_bytes(checkpoint.tensors, tensors_of(parts, policy_state));
  if (policy_state.defined()) {
    parts.rollout.state().copy_(policy_state.slice(0, own.begin, own.end));
  }
  if (parts.store != nullptr)
    parts.store->load(state(kLevelStoreState));  // before those that use it
  parts.curriculum.load(state(kCurriculum));
  parts.scorer.load(state(kScorer));
  parts.normalizer.load(state(kNormalizer));
  parts.regularizers.load(state(kRegularizers));
  parts.collector.load(state(kCollector));
  ByteReader minibatches(state(kMinibatches), kMinibatches, kMinibatchesVersion);
  parts.ppo.stream() = minibatches.random();
  minibatches.expect_end();
}

nlohmann::json spaces_to_json(const EnvSpec& spec) {
  const ActionSpace& actions = spec.actions;
  const char* kind = actions.is_continuous() ? "continuous"
                     : actions.is_discrete() ? "discrete"
                                             : "multi-discrete";
  return {
      {"observation_shape", spec.observation_shape},
      {"observation_type", spec.observation_type == ElementType::kFloat ? "float" : "byte"},
      {"actions",
       {{"kind", kind}, {"counts", actions.counts}, {"low", actions.low}, {"high", actions.high}}}};
}

}  // namespace plr::train

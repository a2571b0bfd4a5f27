#include "plr/train/checkpoint_parts.h"

#include <cstddef>
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

// The tensors of a checkpoint, as views.
std::vector<learn::NamedTensor> tensors_of(const CheckpointParts& parts) {
  std::vector<learn::NamedTensor> tensors = parts.ppo.state();
  if (parts.rollout.state().defined()) tensors.push_back({"policy_state", parts.rollout.state()});
  return tensors;
}

}  // namespace

run::Checkpoint compose_checkpoint(const CheckpointParts& parts) {
  ByteWriter minibatches;
  minibatches.random(parts.ppo.stream());
  run::Checkpoint checkpoint;
  checkpoint.states = {{kCurriculum, parts.curriculum.save()},
                       {kScorer, parts.scorer.save()},
                       {kNormalizer, parts.normalizer.save()},
                       {kRegularizers, parts.regularizers.save()},
                       {kCollector, parts.collector.save()},
                       {kMinibatches, minibatches.seal(kMinibatches, kMinibatchesVersion)}};
  if (parts.store != nullptr) checkpoint.states[kLevelStoreState] = parts.store->save();
  checkpoint.tensors = to_bytes(tensors_of(parts));
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
  from_bytes(checkpoint.tensors, tensors_of(parts));
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

}  // namespace plr::train

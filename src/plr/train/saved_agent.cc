#include "plr/train/saved_agent.h"

#include <ATen/Context.h>

#include <memory>
#include <utility>

#include "plr/base/random.h"
#include "plr/catalog/make_env.h"
#include "plr/core/level_store.h"
#include "plr/learn/compute.h"
#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/train/agent.h"
#include "plr/train/checkpoint_parts.h"
#include "plr/train/run_settings.h"

namespace plr::train {
namespace {

// The levels that the run has edited; null if it stores none.
std::shared_ptr<const LevelStore> stored_levels(const run::Checkpoint& checkpoint) {
  const auto found = checkpoint.states.find(kLevelStoreState);
  if (found == checkpoint.states.end()) return nullptr;
  auto store = std::make_shared<LevelStore>();
  store->load(found->second);
  return store;
}

}  // namespace

SavedAgent load_agent(const std::filesystem::path& run, int num_slots) {
  TrainConfig config = config_of_run(run);
  const run::Checkpoint checkpoint = run::load_checkpoint(run / run::layout::kCheckpoints);
  config.env.num_slots = num_slots;
  config.env.store = stored_levels(checkpoint);
  std::unique_ptr<VectorEnv> env = catalog::make_env(config.task.env, config.env);
  // The agent may have been trained on a device that this machine does not have.
  if (!at::hasCUDA()) config.compute = {.device = "cpu", .num_threads = config.compute.num_threads};
  const at::Device device = configure(config.compute);
  // The weights drawn here are overwritten.
  learn::Network network =
      make_network(config, env->spec(), Streams(config.schedule.seed).named("init"), device);
  from_bytes(checkpoint.tensors, network.state(), true);
  std::unique_ptr<learn::Backend> backend =
      learn::make_backend(std::move(network), config.compute.kernels);
  std::string note = plugin_note(config, checkpoint.facts.get<run::CheckpointFacts>().settings);
  return {std::move(config), checkpoint.update, std::move(env), std::move(backend),
          std::move(note)};
}

}  // namespace plr::train

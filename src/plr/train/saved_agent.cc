#include "plr/train/saved_agent.h"

#include <ATen/Context.h>

#include <utility>

#include "plr/base/random.h"
#include "plr/catalog/make_env.h"
#include "plr/learn/compute.h"
#include "plr/run/checkpoint.h"
#include "plr/train/agent.h"
#include "plr/train/trainer.h"

namespace plr::train {

SavedAgent load_agent(const std::filesystem::path& run, int num_slots) {
  TrainConfig config = config_of_run(run);
  const run::Checkpoint checkpoint = run::load_checkpoint(run / "checkpoint");
  config.env.num_slots = num_slots;
  std::unique_ptr<VectorEnv> env = catalog::make_env(config.task.env, config.env);
  // Whoever watches or evaluates an agent may have no such device as it was trained on.
  if (!at::hasCUDA()) config.compute = {.device = "cpu", .num_threads = config.compute.num_threads};
  const at::Device device = configure(config.compute);
  // Every weight that is drawn here is read over.
  learn::Network network =
      make_network(config, env->spec(), Streams(config.schedule.seed).named("init"), device);
  from_bytes(checkpoint.tensors, network.parameters().views(network.parameters().values()), true);
  return {std::move(config), checkpoint.update, std::move(env), std::move(network)};
}

}  // namespace plr::train

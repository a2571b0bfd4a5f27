#include "plr/learn/own_kernels.h"

#include <stdexcept>
#include <utility>

namespace plr::learn {
namespace {

void choose(Kernels kernels, std::optional<OwnActor> actor, std::optional<OwnLearner> learner,
            Network& network) {
  if (kernels == Kernels::kPlr && !(actor && learner)) {
    throw std::invalid_argument(
        "kernels is plr, but there are none for this network, device and precision; take auto");
  }
  if (kernels == Kernels::kLibtorch) return;
  if (actor) network.set_actor(std::move(*actor));
  if (learner) network.set_learner(std::move(*learner));
}

}  // namespace

void choose_kernels(Kernels kernels, const MinigridNetworkConfig& config, Network& network) {
  choose(kernels, own_minigrid_actor(network, config), own_minigrid_learner(network, config),
         network);
}

void choose_kernels(Kernels kernels, const ProcgenNetworkConfig& config, Network& network) {
  choose(kernels, own_procgen_actor(network, config), own_procgen_learner(network, config),
         network);
}

}  // namespace plr::learn

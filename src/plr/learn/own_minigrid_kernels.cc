#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>

#include <memory>

#include "plr/learn/cuda/minigrid_actor.h"
#include "plr/learn/cuda_device.h"

namespace plr {
namespace {

// Memory between MiniGrid's two kernels, for as many observations as were seen at once.
class MinigridMemory {
 public:
  MinigridMemory(const cuda::MinigridShape& shape, at::Device device)
      : num_features_(shape.num_features()), device_(device) {}

  cuda::MinigridScratch for_batch(std::int64_t batch) {
    const std::int64_t tiles = cuda::minigrid_tiles(batch);
    if (!num_done_.defined() || num_done_.size(0) < tiles) {
      features_ = at::zeros({tiles * 8, num_features_}, device_);
      hidden_ = at::zeros({tiles * 8, 128}, device_);
      num_done_ = at::zeros({tiles}, at::TensorOptions(device_).dtype(at::kInt));
    }
    return {features_.mutable_data_ptr<float>(), hidden_.mutable_data_ptr<float>(),
            reinterpret_cast<unsigned*>(num_done_.mutable_data_ptr<int>())};
  }

 private:
  std::int64_t num_features_;
  at::Device device_;
  at::Tensor features_, hidden_, num_done_;
};

cuda::MinigridWeights weights_of(const Parameters& parameters, bool shared_hidden) {
  const auto at = [&](const char* name) { return parameters[name].const_data_ptr<float>(); };
  const bool shared = shared_hidden;
  return {.conv1 = at("conv1.w"),
          .conv1_bias = at("conv1.b"),
          .conv2 = at("conv2.w"),
          .conv2_bias = at("conv2.b"),
          .conv3 = at("conv3.w"),
          .conv3_bias = at("conv3.b"),
          .actor = at(shared ? "hidden.w" : "actor_hidden.w"),
          .actor_bias = at(shared ? "hidden.b" : "actor_hidden.b"),
          .critic = at(shared ? "hidden.w" : "critic_hidden.w"),
          .critic_bias = at(shared ? "hidden.b" : "critic_hidden.b"),
          .policy = at("policy.w"),
          .policy_bias = at("policy.b"),
          .value = at("value.w"),
          .value_bias = at("value.b")};
}

}  // namespace

std::optional<OwnActor> own_minigrid_actor(const Network& network,
                                           const MinigridNetworkConfig& config) {
  const NetworkShape& s = network.shape();
  const cuda::MinigridShape shape{static_cast<int>(s.height), static_cast<int>(s.width),
                                  static_cast<int>(config.channels), config.pool,
                                  static_cast<int>(s.num_actions)};
  if (!network.device().is_cuda() || capability(network.device()) < 80) return std::nullopt;
  if (!cuda::can_act(shape, static_cast<int>(s.channels))) return std::nullopt;

  // The kernels read the weights where they lie.
  const at::Tensor values = network.parameters().values();
  const cuda::MinigridWeights weights = weights_of(network.parameters(), config.shared_hidden);
  const auto memory = std::make_shared<MinigridMemory>(shape, network.device());
  return OwnActor{.refresh = [] {},
                  .act =
                      [values, shape, weights, memory](const cuda::ActingJob& job) {
                        cuda::minigrid_act(shape, weights, job, memory->for_batch(job.batch),
                                           current_stream());
                      }};
}

std::optional<OwnLearner> own_minigrid_learner(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr

#else

namespace plr {

std::optional<OwnActor> own_minigrid_actor(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

std::optional<OwnLearner> own_minigrid_learner(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr

#endif

#include "plr/learn/own_actor.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "plr/learn/cuda/minigrid_actor.h"
#include "plr/learn/cuda/procgen_actor.h"

namespace plr {
namespace {

// The device's compute capability, 90 for Hopper.
int capability(at::Device device) {
  int major = 0;
  int minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.index());
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.index());
  return 10 * major + minor;
}

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

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

// What Procgen's kernels keep: packed weights, and the features between the two that act.
class ProcgenMemory {
 public:
  explicit ProcgenMemory(at::Device device)
      : device_(device),
        conv_(at::zeros({cuda::kPackedBytes / 4}, at::TensorOptions(device).dtype(at::kInt))),
        bias_(at::zeros({cuda::kLayers * cuda::kBiasStride}, device)),
        hidden_(at::zeros({cuda::kHiddenWords}, at::TensorOptions(device).dtype(at::kInt))) {}

  cuda::ProcgenPacked packed() const {
    return {reinterpret_cast<std::uint32_t*>(conv_.mutable_data_ptr<int>()),
            bias_.mutable_data_ptr<float>(),
            reinterpret_cast<std::uint32_t*>(hidden_.mutable_data_ptr<int>())};
  }

  void* features_of(std::int64_t batch) {
    if (!features_.defined() || features_.size(0) < batch) {
      const auto options = at::TensorOptions(device_).dtype(at::kBFloat16);
      features_ = at::empty({batch, cuda::kFeatures}, options);
    }
    return features_.mutable_data_ptr();
  }

 private:
  at::Device device_;
  at::Tensor conv_, bias_, hidden_, features_;
};

cuda::ProcgenWeights weights_of(const Parameters& parameters) {
  const auto at = [&](const std::string& name) { return parameters[name].const_data_ptr<float>(); };
  cuda::ProcgenWeights weights = {.hidden = at("hidden.w"),
                                  .hidden_bias = at("hidden.b"),
                                  .policy = at("policy.w"),
                                  .policy_bias = at("policy.b"),
                                  .value = at("value.w"),
                                  .value_bias = at("value.b")};
  int layer = 0;
  for (const char* stage : {"stage1", "stage2", "stage3"}) {
    for (const char* conv :
         {".conv", ".block1.conv1", ".block1.conv2", ".block2.conv1", ".block2.conv2"}) {
      weights.conv[layer] = at(std::string(stage) + conv + ".w");
      weights.conv_bias[layer] = at(std::string(stage) + conv + ".b");
      ++layer;
    }
  }
  return weights;
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

std::optional<OwnActor> own_procgen_actor(const Network& network,
                                          const ProcgenNetworkConfig& config) {
  const NetworkShape& s = network.shape();
  const bool fits = s.height == 64 && s.width == 64 && s.channels == 3 &&
                    s.num_actions == cuda::kActions && network.precision() == Precision::kBf16;
  if (!fits || !network.device().is_cuda() || capability(network.device()) != 90) {
    return std::nullopt;
  }
  const at::Tensor values = network.parameters().values();
  const cuda::ProcgenWeights weights = weights_of(network.parameters());
  const auto memory = std::make_shared<ProcgenMemory>(network.device());
  const bool relu_skip = config.relu_skip;
  return OwnActor{
      .refresh = [weights, memory] { procgen_pack(weights, memory->packed(), current_stream()); },
      .act =
          [values, weights, memory, relu_skip](const cuda::ActingJob& job) {
            procgen_act(weights, memory->packed(), relu_skip, job, memory->features_of(job.batch),
                        current_stream());
          }};
}

}  // namespace plr

#else

namespace plr {

std::optional<OwnActor> own_minigrid_actor(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

std::optional<OwnActor> own_procgen_actor(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr

#endif

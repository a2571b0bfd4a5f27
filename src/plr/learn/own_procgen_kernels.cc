#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>

#include <memory>
#include <string>

#include "plr/learn/cuda/procgen_actor.h"
#include "plr/learn/cuda_device.h"

namespace plr {
namespace {

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

std::optional<OwnLearner> own_procgen_learner(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr

#else

namespace plr {

std::optional<OwnActor> own_procgen_actor(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

std::optional<OwnLearner> own_procgen_learner(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr

#endif

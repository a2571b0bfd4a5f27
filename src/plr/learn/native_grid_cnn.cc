#include "plr/learn/native_grid_cnn.h"

#include <ATen/ATen.h>

#include <string>

#include "plr/learn/cuda/grid_cnn/cluster_inference.h"
#include "plr/learn/cuda/grid_cnn/inference.h"
#include "plr/learn/cuda/grid_cnn/training.h"
#include "plr/learn/cuda_device.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kNumUnits = 128;  // of both hidden layers

cuda::grid_cnn::Shape kernel_shape(const NetworkShape& s, const GridCnnConfig& config) {
  return {static_cast<int>(s.height), static_cast<int>(s.width), static_cast<int>(config.channels),
          config.pool, s.actions.num_choices()};
}

// Weights or Gradients; find(layer, suffix) returns a parameter's address.
template <class Pointers, class Find>
Pointers bind(bool shared_hidden, Find find) {
  const char* actor = shared_hidden ? "hidden" : "actor_hidden";
  const char* critic = shared_hidden ? "hidden" : "critic_hidden";
  return {.conv1 = find("conv1", ".w"),
          .conv1_bias = find("conv1", ".b"),
          .conv2 = find("conv2", ".w"),
          .conv2_bias = find("conv2", ".b"),
          .conv3 = find("conv3", ".w"),
          .conv3_bias = find("conv3", ".b"),
          .actor = find(actor, ".w"),
          .actor_bias = find(actor, ".b"),
          .critic = find(critic, ".w"),
          .critic_bias = find(critic, ".b"),
          .policy = find("policy", ".w"),
          .policy_bias = find("policy", ".b"),
          .value = find("value", ".w"),
          .value_bias = find("value", ".b")};
}

cuda::grid_cnn::Weights bind_weights(const Parameters& parameters, bool shared_hidden) {
  return bind<cuda::grid_cnn::Weights>(shared_hidden,
                                       [&](const std::string& layer, const char* suffix) {
                                         return parameters[layer + suffix].const_data_ptr<float>();
                                       });
}

cuda::grid_cnn::Gradients bind_gradients(Parameters& parameters, bool shared_hidden) {
  auto gradients = bind<cuda::grid_cnn::Gradients>(
      shared_hidden, [&](const std::string& layer, const char* suffix) {
        return parameters[layer + suffix].grad().mutable_data_ptr<float>();
      });
  if (shared_hidden) gradients.critic = gradients.critic_bias = nullptr;
  return gradients;
}

// Three kernels, which read the weights where they are.
class GridCnnInference : public NativeInference {
 public:
  GridCnnInference(const Network& network, const GridCnnConfig& config)
      : values_(network.parameters().values()),
        shape_(kernel_shape(network.shape(), config)),
        weights_(bind_weights(network.parameters(), config.shared_hidden)) {}

  void refresh() override {}

  void infer(const cuda::InferenceJob& job) override {
    cuda::grid_cnn::infer(shape_, weights_, job, scratch(job.batch), current_stream());
  }

 private:
  // For the largest batch so far.
  cuda::grid_cnn::InferenceScratch scratch(int batch) {
    if (!features_.defined() || features_.size(0) < batch) {
      const std::int64_t images =
          cuda::grid_cnn::inference_tiles(batch) * cuda::grid_cnn::kInferenceTile;
      features_ = at::empty({images, shape_.num_features()}, values_.device());
      partials_ =
          at::empty({cuda::grid_cnn::kInferenceSlices, images, kNumUnits}, values_.device());
    }
    return {features_.mutable_data_ptr<float>(), partials_.mutable_data_ptr<float>()};
  }

  at::Tensor values_;  // keeps alive what weights_ points to
  cuda::grid_cnn::Shape shape_;
  cuda::grid_cnn::Weights weights_;
  at::Tensor features_, partials_;
};

// One kernel of clusters, with a packed copy of the weights.
class GridCnnClusterInference : public NativeInference {
 public:
  GridCnnClusterInference(const Network& network, const GridCnnConfig& config)
      : values_(network.parameters().values()),
        shape_(kernel_shape(network.shape(), config)),
        weights_(bind_weights(network.parameters(), config.shared_hidden)),
        capacity_(
            cuda::grid_cnn::cluster_capacity(shape_, static_cast<int>(network.shape().channels))),
        packed_(at::zeros({cuda::grid_cnn::packed_floats(shape_)}, values_.options())) {}

  void refresh() override {
    cuda::grid_cnn::pack_cluster_weights(shape_, weights_, packed_.mutable_data_ptr<float>(),
                                         current_stream());
  }

  void infer(const cuda::InferenceJob& job) override {
    cuda::grid_cnn::launch_cluster_inference(shape_, packed_.const_data_ptr<float>(), capacity_,
                                             job, current_stream());
  }

 private:
  at::Tensor values_;  // keeps alive what weights_ points to
  cuda::grid_cnn::Shape shape_;
  cuda::grid_cnn::Weights weights_;
  cuda::grid_cnn::ClusterCapacity capacity_;
  at::Tensor packed_;
};

// All layers are native: the outputs are logits and value.
class GridCnnTraining : public NativeTraining {
 public:
  GridCnnTraining(Network& network, const GridCnnConfig& config)
      : values_(network.parameters().values()),
        grads_(network.parameters().grads()),
        shape_(kernel_shape(network.shape(), config)),
        shared_hidden_(config.shared_hidden),
        weights_(bind_weights(network.parameters(), config.shared_hidden)),
        gradients_(bind_gradients(network.parameters(), config.shared_hidden)) {}

  SavedActivations forward(const at::Tensor& obs, const Recurrence&) override {
    const auto batch = static_cast<int>(obs.size(0));
    const at::Tensor saved = bytes(cuda::grid_cnn::saved_bytes(shape_, batch));
    const at::Tensor logits = at::empty({batch, shape_.num_actions}, values_.options());
    const at::Tensor value = at::empty({batch}, values_.options());
    cuda::grid_cnn::forward(pass(obs, saved), logits.mutable_data_ptr<float>(),
                            value.mutable_data_ptr<float>(), current_stream());
    return {.outputs = {logits.requires_grad_(), value.requires_grad_()}, .tensors = {obs, saved}};
  }

  Output heads(const SavedActivations& saved) const override {
    return {saved.outputs[0], saved.outputs[1]};
  }

  void backward(const SavedActivations& saved, const std::vector<at::Tensor>& grads) override {
    const cuda::grid_cnn::TrainPass p = pass(saved.tensors[0], saved.tensors[1]);
    const at::Tensor scratch = bytes(cuda::grid_cnn::scratch_bytes(p.shape, p.batch));
    const at::Tensor logits_grad = grads[0].contiguous();
    const at::Tensor value_grad = grads[1].contiguous();
    cuda::grid_cnn::backward(p, logits_grad.const_data_ptr<float>(),
                             value_grad.const_data_ptr<float>(), scratch.mutable_data_ptr(),
                             gradients_, current_stream());
  }

 private:
  at::Tensor bytes(std::int64_t count) const {
    return at::empty({count}, values_.options().dtype(at::kByte));
  }

  cuda::grid_cnn::TrainPass pass(const at::Tensor& obs, const at::Tensor& saved) const {
    return {.shape = shape_,
            .shared_hidden = shared_hidden_,
            .weights = weights_,
            .obs = obs.const_data_ptr(),
            .obs_are_floats = obs.scalar_type() == at::kFloat,
            .batch = static_cast<int>(obs.size(0)),
            .saved = saved.mutable_data_ptr()};
  }

  at::Tensor values_, grads_;  // keep alive what weights_ and gradients_ point to
  cuda::grid_cnn::Shape shape_;
  bool shared_hidden_;
  cuda::grid_cnn::Weights weights_;
  cuda::grid_cnn::Gradients gradients_;
};

}  // namespace

KernelChoices choose_grid_cnn_kernels(const Network& network, const GridCnnConfig& config,
                                      Kernels kernels) {
  const cuda::grid_cnn::Shape shape = kernel_shape(network.shape(), config);
  const auto obs_channels = static_cast<int>(network.shape().channels);
  const KernelChoice native = {KernelKind::kPortable,
                               "compute capability " + capability_text(network.device())};
  KernelChoices choices = {native, native};
  if (!cuda::grid_cnn::can_infer(shape, obs_channels)) {
    choices.inference = {KernelKind::kLibtorch, "native kernels do not support these sizes"};
  } else if (kernels != Kernels::kPortable && capability(network.device()) == kHopperCapability &&
             cuda::grid_cnn::cluster_capacity(shape, obs_channels).images > 0) {
    choices.inference.kind = KernelKind::kHopper;
  }
  const int shared = shared_memory(network.device());
  if (network.precision() != Precision::kBf16) {
    choices.training = {KernelKind::kLibtorch,
                        "native kernels are bf16, and precision = " + to_text(network.precision())};
  } else if (!cuda::grid_cnn::can_train(shape, obs_channels, shared)) {
    choices.training = {KernelKind::kLibtorch, "native kernels do not support these sizes with " +
                                                   std::to_string(shared / 1024) +
                                                   " KB of shared memory"};
  }
  return choices;
}

std::unique_ptr<NativeInference> make_grid_cnn_inference(const Network& network,
                                                         const GridCnnConfig& config,
                                                         KernelKind kind) {
  if (kind == KernelKind::kHopper) {
    return std::make_unique<GridCnnClusterInference>(network, config);
  }
  return std::make_unique<GridCnnInference>(network, config);
}

std::unique_ptr<NativeTraining> make_grid_cnn_training(Network& network,
                                                       const GridCnnConfig& config) {
  return std::make_unique<GridCnnTraining>(network, config);
}

}  // namespace plr::learn

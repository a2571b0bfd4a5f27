#include "plr/learn/native_impala.h"

#include <ATen/ATen.h>

#include <map>
#include <stdexcept>
#include <string>

#include "plr/learn/cuda/impala/inference.h"
#include "plr/learn/cuda/impala/trunk.h"
#include "plr/learn/cuda_device.h"
#include "plr/learn/layers.h"

namespace plr::learn {
namespace {

// The convolutions' names in the order in which kernels number them.
std::vector<std::string> conv_names() {
  std::vector<std::string> names;
  for (const char* stage : {"stage1", "stage2", "stage3"}) {
    for (const char* conv :
         {".conv", ".block1.conv1", ".block1.conv2", ".block2.conv1", ".block2.conv2"}) {
      names.push_back(std::string(stage) + conv);
    }
  }
  return names;
}

cuda::impala::Weights bind_weights(const Parameters& parameters) {
  const auto find = [&](const std::string& name) {
    return parameters[name].const_data_ptr<float>();
  };
  cuda::impala::Weights weights = {.hidden = find("hidden.w"),
                                   .hidden_bias = find("hidden.b"),
                                   .policy = find("policy.w"),
                                   .policy_bias = find("policy.b"),
                                   .value = find("value.w"),
                                   .value_bias = find("value.b")};
  int layer = 0;
  for (const std::string& name : conv_names()) {
    weights.conv[layer] = find(name + ".w");
    weights.conv_bias[layer++] = find(name + ".b");
  }
  return weights;
}

cuda::impala::Gradients bind_gradients(Parameters& parameters) {
  const auto find = [&](const std::string& name) {
    return parameters[name].grad().mutable_data_ptr<float>();
  };
  cuda::impala::Gradients gradients;
  int layer = 0;
  for (const std::string& name : conv_names()) {
    gradients.conv[layer] = find(name + ".w");
    gradients.conv_bias[layer++] = find(name + ".b");
  }
  return gradients;
}

// Keeps the weights packed to bf16 in the layout of tensor cores, and what its kernels pass on.
class ImpalaInference : public NativeInference {
 public:
  ImpalaInference(const Network& network, const ImpalaConfig& config, KernelKind kind)
      : is_hopper_(kind == KernelKind::kHopper),
        values_(network.parameters().values()),
        weights_(bind_weights(network.parameters())),
        relu_skip_(config.relu_skip),
        conv_(at::zeros({cuda::impala::kPackedBytes / 4}, values_.options().dtype(at::kInt))),
        bias_(at::zeros({cuda::impala::kNumLayers * cuda::impala::kBiasStride}, values_.options())),
        hidden_(at::zeros({cuda::impala::kHiddenWords}, values_.options().dtype(at::kInt))) {}

  void refresh() override { cuda::impala::pack_weights(weights_, packed(), current_stream()); }

  void infer(const cuda::InferenceJob& job) override {
    const auto infer = is_hopper_ ? cuda::impala::infer : cuda::impala::portable::infer;
    infer(weights_, packed(), relu_skip_, job, scratch(job.batch), current_stream());
  }

 private:
  cuda::impala::PackedWeights packed() const {
    return {reinterpret_cast<std::uint32_t*>(conv_.mutable_data_ptr<int>()),
            bias_.mutable_data_ptr<float>(),
            reinterpret_cast<std::uint32_t*>(hidden_.mutable_data_ptr<int>())};
  }

  // For the largest batch so far.
  cuda::impala::InferenceScratch scratch(std::int64_t batch) {
    if (!features_.defined() || features_.size(0) < batch) {
      features_ =
          at::empty({batch, cuda::impala::kNumFeatures}, values_.options().dtype(at::kBFloat16));
      if (!is_hopper_) {
        partials_ = at::empty({cuda::impala::kHiddenBlocks, batch, cuda::impala::kHiddenUnits},
                              values_.options());
      }
    }
    return {features_.mutable_data_ptr(),
            is_hopper_ ? nullptr : partials_.mutable_data_ptr<float>()};
  }

  bool is_hopper_;
  at::Tensor values_;  // keeps alive what weights_ points to
  cuda::impala::Weights weights_;
  bool relu_skip_;
  at::Tensor conv_, bias_, hidden_, features_, partials_;
};

Layer to_bf16(const Layer& layer) {
  Layer rounded = layer;
  rounded.weight = layer.weight.to(at::kBFloat16);
  rounded.bias = layer.bias.to(at::kBFloat16);
  return rounded;
}

// The convolutions are native, the fully connected layers libtorch's: the output is the features
// between them.  Each batch size has activations at an address of its own that never changes, since
// recorded CUDA graphs refer to it; a forward pass overwrites those of the one before.
class ImpalaTraining : public NativeTraining {
 public:
  ImpalaTraining(Network& network, const ImpalaConfig& config, KernelKind kind)
      : variant_(kind == KernelKind::kHopper ? cuda::impala::Variant::kHopper
                                             : cuda::impala::Variant::kPortable),
        values_(network.parameters().values()),
        grads_(network.parameters().grads()),
        weights_(bind_weights(network.parameters())),
        gradients_(bind_gradients(network.parameters())),
        relu_skip_(config.relu_skip),
        hidden_(network.parameters(), "hidden"),
        policy_(network.parameters(), "policy"),
        value_(network.parameters(), "value") {}

  SavedActivations forward(const at::Tensor& obs, const Recurrence&) override {
    BatchTrunk& batch = trunk(obs.size(0));
    const at::Tensor features = at::empty({obs.size(0), cuda::impala::kNumFeatures},
                                          values_.options().dtype(at::kBFloat16));
    batch.trunk.forward(weights_, pixels(obs), features.mutable_data_ptr(), current_stream());
    return {.outputs = {features.requires_grad_()}, .tensors = {obs}, .pass = ++batch.num_passes};
  }

  Output heads(const SavedActivations& saved) const override {
    const at::Tensor x = dense(saved.outputs[0], to_bf16(hidden_)).relu_();
    return {dense(x, to_bf16(policy_)).to(at::kFloat),
            dense(x, to_bf16(value_)).to(at::kFloat).squeeze(1)};
  }

  void backward(const SavedActivations& saved, const std::vector<at::Tensor>& grads) override {
    const at::Tensor& obs = saved.tensors[0];
    BatchTrunk& batch = trunk(obs.size(0));
    if (batch.num_passes != saved.pass) {
      throw std::logic_error(
          "backward: another forward pass of this size has overwritten the activations; use "
          "kernels = libtorch");
    }
    const at::Tensor features_grad = grads[0].contiguous();
    batch.trunk.backward(pixels(obs), saved.outputs[0].const_data_ptr(),
                         features_grad.const_data_ptr(), gradients_, current_stream());
  }

 private:
  struct BatchTrunk {
    BatchTrunk(cuda::impala::Variant variant, int size, bool relu_skip,
               const at::TensorOptions& options)
        : memory(at::empty({cuda::impala::Trunk::bytes(size)}, options.dtype(at::kByte))),
          trunk(variant, size, relu_skip, memory.mutable_data_ptr()) {}
    at::Tensor memory;
    cuda::impala::Trunk trunk;
    std::int64_t num_passes = 0;
  };

  BatchTrunk& trunk(std::int64_t size) {
    std::unique_ptr<BatchTrunk>& batch = trunks_[size];
    if (!batch) {
      batch = std::make_unique<BatchTrunk>(variant_, static_cast<int>(size), relu_skip_,
                                           values_.options());
    }
    return *batch;
  }

  static cuda::impala::Pixels pixels(const at::Tensor& obs) {
    return {obs.const_data_ptr(), obs.scalar_type() == at::kFloat};
  }

  cuda::impala::Variant variant_;
  at::Tensor values_, grads_;  // keep alive what weights_ and gradients_ point to
  cuda::impala::Weights weights_;
  cuda::impala::Gradients gradients_;
  bool relu_skip_;
  Layer hidden_, policy_, value_;
  std::map<std::int64_t, std::unique_ptr<BatchTrunk>> trunks_;  // by batch size
};

}  // namespace

KernelChoices choose_impala_kernels(const Network& network, Kernels kernels) {
  const auto libtorch = [](const std::string& reason) -> KernelChoice {
    return {KernelKind::kLibtorch, reason};
  };
  const at::Device device = network.device();
  const NetworkShape& s = network.shape();
  KernelChoice both = {KernelKind::kPortable, "compute capability " + capability_text(device)};
  if (s.height != 64 || s.width != 64 || s.channels != 3) {
    both = libtorch("native kernels need images of 64 x 64 x 3");
  } else if (network.precision() != Precision::kBf16) {
    both = libtorch("native kernels are bf16, and precision = " + to_text(network.precision()));
  } else if (kernels == Kernels::kPortable) {
    both.reason = "kernels = portable";
  } else if (capability(device) == kHopperCapability) {
    both.kind = KernelKind::kHopper;
  }
  if (both.kind == KernelKind::kPortable &&
      shared_memory(device) < cuda::impala::kMaxPortableSmem) {
    both = libtorch("native kernels need " + std::to_string(cuda::impala::kMaxPortableSmem / 1024) +
                    " KB of shared memory, and there are " +
                    std::to_string(shared_memory(device) / 1024));
  }
  KernelChoices choices = {both, both};
  if (both.kind != KernelKind::kLibtorch && s.actions.num_choices() != cuda::impala::kNumActions) {
    choices.inference = libtorch("native kernels need 15 actions");
  }
  return choices;
}

std::unique_ptr<NativeInference> make_impala_inference(const Network& network,
                                                       const ImpalaConfig& config,
                                                       KernelKind kind) {
  return std::make_unique<ImpalaInference>(network, config, kind);
}

std::unique_ptr<NativeTraining> make_impala_training(Network& network, const ImpalaConfig& config,
                                                     KernelKind kind) {
  return std::make_unique<ImpalaTraining>(network, config, kind);
}

}  // namespace plr::learn

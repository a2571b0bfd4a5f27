#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "plr/learn/cuda/impala/inference.h"
#include "plr/learn/cuda/impala/trunk.h"
#include "plr/learn/cuda_device.h"
#include "plr/learn/layers.h"

namespace plr::learn {
namespace {

// What Procgen's kernels keep: packed weights, and the features between the two that act.
class ProcgenMemory {
 public:
  explicit ProcgenMemory(at::Device device)
      : device_(device),
        conv_(
            at::zeros({cuda::impala::kPackedBytes / 4}, at::TensorOptions(device).dtype(at::kInt))),
        bias_(at::zeros({cuda::impala::kNumLayers * cuda::impala::kBiasStride}, device)),
        hidden_(
            at::zeros({cuda::impala::kHiddenWords}, at::TensorOptions(device).dtype(at::kInt))) {}

  cuda::impala::PackedWeights packed() const {
    return {reinterpret_cast<std::uint32_t*>(conv_.mutable_data_ptr<int>()),
            bias_.mutable_data_ptr<float>(),
            reinterpret_cast<std::uint32_t*>(hidden_.mutable_data_ptr<int>())};
  }

  void* features_of(std::int64_t batch) {
    if (!features_.defined() || features_.size(0) < batch) {
      const auto options = at::TensorOptions(device_).dtype(at::kBFloat16);
      features_ = at::empty({batch, cuda::impala::kNumFeatures}, options);
    }
    return features_.mutable_data_ptr();
  }

 private:
  at::Device device_;
  at::Tensor conv_, bias_, hidden_, features_;
};

// The convolutions' names in the order in which kernels count them.
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

cuda::impala::Weights weights_of(const Parameters& parameters) {
  const auto at = [&](const std::string& name) { return parameters[name].const_data_ptr<float>(); };
  cuda::impala::Weights weights = {.hidden = at("hidden.w"),
                                   .hidden_bias = at("hidden.b"),
                                   .policy = at("policy.w"),
                                   .policy_bias = at("policy.b"),
                                   .value = at("value.w"),
                                   .value_bias = at("value.b")};
  int layer = 0;
  for (const std::string& name : conv_names()) {
    weights.conv[layer] = at(name + ".w");
    weights.conv_bias[layer++] = at(name + ".b");
  }
  return weights;
}

cuda::impala::Gradients grads_of(const Parameters& parameters) {
  const auto at = [&](const std::string& name) {
    return parameters[name].grad().mutable_data_ptr<float>();
  };
  cuda::impala::Gradients grads;
  int layer = 0;
  for (const std::string& name : conv_names()) {
    grads.conv[layer] = at(name + ".w");
    grads.conv_bias[layer++] = at(name + ".b");
  }
  return grads;
}

bool fits(const Network& network) {
  const NetworkShape& s = network.shape();
  return s.height == 64 && s.width == 64 && s.channels == 3 &&
         network.precision() == Precision::kBf16 && network.device().is_cuda() &&
         capability(network.device()) == 90;
}

// The convolutions while they learn.  Every size of mini-batch has memory of its own that stays
// where it is, since recorded passes (repeated.h) go on using it.
class ProcgenLesson : public torch::CustomClassHolder {
 public:
  ProcgenLesson(const Parameters& parameters, bool relu_skip)
      : values_(parameters.values()),
        grads_(parameters.grads()),
        weights_(weights_of(parameters)),
        grad_places_(grads_of(parameters)),
        relu_skip_(relu_skip) {}

  // Returns features [B, 2048] of bf16, and sets `pass` to what backward() wants to know.
  at::Tensor forward(const at::Tensor& obs, std::int64_t& pass) {
    Batch& batch = of_size(obs.size(0));
    pass = ++batch.num_passes;
    at::Tensor features = at::empty({obs.size(0), cuda::impala::kNumFeatures},
                                    values_.options().dtype(at::kBFloat16));
    batch.trunk.forward(weights_, pixels_of(obs), features.mutable_data_ptr(), current_stream());
    return features;
  }

  void backward(const at::Tensor& obs, const at::Tensor& features, const at::Tensor& d_features,
                std::int64_t pass) {
    Batch& batch = of_size(obs.size(0));
    if (batch.num_passes != pass) {
      throw std::logic_error(
          "backward: another forward pass came between, which the kernels of "
          "our own have no memory for; take kernels = libtorch");
    }
    batch.trunk.backward(pixels_of(obs), features.const_data_ptr(), d_features.const_data_ptr(),
                         grad_places_, current_stream());
  }

 private:
  struct Batch {
    Batch(int size, bool relu_skip, const at::TensorOptions& here)
        : memory(at::empty({cuda::impala::Trunk::bytes(size)}, here.dtype(at::kByte))),
          trunk(size, relu_skip, memory.mutable_data_ptr()) {}
    at::Tensor memory;
    cuda::impala::Trunk trunk;
    std::int64_t num_passes = 0;
  };

  Batch& of_size(std::int64_t size) {
    std::unique_ptr<Batch>& batch = batches_[size];
    if (!batch) {
      batch = std::make_unique<Batch>(static_cast<int>(size), relu_skip_, values_.options());
    }
    return *batch;
  }

  static cuda::impala::Pixels pixels_of(const at::Tensor& obs) {
    return {obs.const_data_ptr(), obs.scalar_type() == at::kFloat};
  }

  at::Tensor values_, grads_;  // kept alive
  cuda::impala::Weights weights_;
  cuda::impala::Gradients grad_places_;
  bool relu_skip_;
  std::map<std::int64_t, std::unique_ptr<Batch>> batches_;
};

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Observations to features.  No gradient is returned: those of the weights are added where they
// belong.  `anchor` requires one, so that autograd comes here at all.
struct Trunk : torch::autograd::Function<Trunk> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& obs, const at::Tensor&,
                            const c10::intrusive_ptr<ProcgenLesson>& lesson) {
    std::int64_t pass = 0;
    const at::Tensor features = lesson->forward(obs, pass);
    context->save_for_backward({obs, features});
    context->saved_data["pass"] = pass;
    context->saved_data["lesson"] = c10::IValue::make_capsule(lesson);
    return features;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& d_features) {
    const auto saved = context->get_saved_variables();
    const auto lesson = c10::static_intrusive_pointer_cast<ProcgenLesson>(
        context->saved_data["lesson"].toCapsule());
    lesson->backward(saved[0], saved[1], d_features[0].contiguous(),
                     context->saved_data["pass"].toInt());
    return {{}, {}, {}};
  }
};

Layer in_bf16(const Layer& layer) {
  Layer rounded = layer;
  rounded.weight = layer.weight.to(at::kBFloat16);
  rounded.bias = layer.bias.to(at::kBFloat16);
  return rounded;
}

}  // namespace

std::optional<OwnActor> own_procgen_actor(const Network& network,
                                          const ProcgenNetworkConfig& config) {
  if (!fits(network) || network.shape().num_actions != cuda::impala::kNumActions)
    return std::nullopt;
  const at::Tensor values = network.parameters().values();
  const cuda::impala::Weights weights = weights_of(network.parameters());
  const auto memory = std::make_shared<ProcgenMemory>(network.device());
  const bool relu_skip = config.relu_skip;
  return OwnActor{.refresh =
                      [weights, memory] {
                        cuda::impala::pack_weights(weights, memory->packed(), current_stream());
                      },
                  .act =
                      [values, weights, memory, relu_skip](const cuda::InferenceJob& job) {
                        cuda::impala::infer(weights, memory->packed(), relu_skip, job,
                                            memory->features_of(job.batch), current_stream());
                      }};
}

std::optional<OwnLearner> own_procgen_learner(const Network& network,
                                              const ProcgenNetworkConfig& config) {
  if (!fits(network)) return std::nullopt;
  const Parameters& parameters = network.parameters();
  const auto lesson = c10::make_intrusive<ProcgenLesson>(parameters, config.relu_skip);
  const at::Tensor anchor = at::zeros({}, parameters.values().options()).requires_grad_();
  const Layer hidden(parameters, "hidden");
  const Layer policy(parameters, "policy");
  const Layer value(parameters, "value");
  return [=](const at::Tensor& obs) -> Output {
    const at::Tensor seen = obs.scalar_type() == at::kByte ? obs : obs.to(at::kFloat);
    const at::Tensor features = Trunk::apply(seen.contiguous(), anchor, lesson);
    const at::Tensor x = dense(features, in_bf16(hidden)).relu_();
    return {dense(x, in_bf16(policy)).to(at::kFloat),
            dense(x, in_bf16(value)).to(at::kFloat).squeeze(1)};
  };
}

}  // namespace plr::learn

#else

namespace plr::learn {

std::optional<OwnActor> own_procgen_actor(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

std::optional<OwnLearner> own_procgen_learner(const Network&, const ProcgenNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr::learn

#endif

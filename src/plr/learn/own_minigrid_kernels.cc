#include "plr/learn/own_kernels.h"

#ifdef PLR_KERNELS

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <string>

#include "plr/learn/cuda/grid_cnn/inference.h"
#include "plr/learn/cuda/grid_cnn/training.h"
#include "plr/learn/cuda_device.h"

namespace plr::learn {
namespace {

// Memory between MiniGrid's kernels, for as many observations as were seen at once.
class MinigridMemory {
 public:
  MinigridMemory(const cuda::grid_cnn::Shape& shape, at::Device device)
      : num_features_(shape.num_features()), device_(device) {}

  cuda::grid_cnn::InferenceScratch for_batch(int batch) {
    if (!features_.defined() || features_.size(0) < batch) {
      const std::int64_t images =
          cuda::grid_cnn::inference_tiles(batch) * cuda::grid_cnn::kInferenceTile;
      features_ = at::empty({images, num_features_}, device_);
      parts_ = at::empty({cuda::grid_cnn::kInferenceSlices, images, 128}, device_);
    }
    return {features_.mutable_data_ptr<float>(), parts_.mutable_data_ptr<float>()};
  }

 private:
  std::int64_t num_features_;
  at::Device device_;
  at::Tensor features_, parts_;
};

cuda::grid_cnn::Shape shape_of(const NetworkShape& s, const MinigridNetworkConfig& config) {
  return {static_cast<int>(s.height), static_cast<int>(s.width), static_cast<int>(config.channels),
          config.pool, static_cast<int>(s.num_actions)};
}

// MinigridWeights or MinigridGradients; at(name) tells where a parameter's lie.
template <class Places, class At>
Places places_of(bool shared_hidden, At at) {
  const char* actor = shared_hidden ? "hidden" : "actor_hidden";
  const char* critic = shared_hidden ? "hidden" : "critic_hidden";
  return {.conv1 = at("conv1", ".w"),
          .conv1_bias = at("conv1", ".b"),
          .conv2 = at("conv2", ".w"),
          .conv2_bias = at("conv2", ".b"),
          .conv3 = at("conv3", ".w"),
          .conv3_bias = at("conv3", ".b"),
          .actor = at(actor, ".w"),
          .actor_bias = at(actor, ".b"),
          .critic = at(critic, ".w"),
          .critic_bias = at(critic, ".b"),
          .policy = at("policy", ".w"),
          .policy_bias = at("policy", ".b"),
          .value = at("value", ".w"),
          .value_bias = at("value", ".b")};
}

cuda::grid_cnn::Weights weights_of(const Parameters& parameters, bool shared_hidden) {
  const auto at = [&](std::string layer, const char* part) {
    return parameters[layer + part].const_data_ptr<float>();
  };
  return places_of<cuda::grid_cnn::Weights>(shared_hidden, at);
}

cuda::grid_cnn::Gradients gradients_of(const Parameters& parameters, bool shared_hidden) {
  const auto at = [&](std::string layer, const char* part) {
    return parameters[layer + part].grad().mutable_data_ptr<float>();
  };
  auto gradients = places_of<cuda::grid_cnn::Gradients>(shared_hidden, at);
  if (shared_hidden) gradients.critic = gradients.critic_bias = nullptr;
  return gradients;
}

// What every pass of a network has in common; autograd holds it from forward to backward.
struct MinigridLearner : torch::CustomClassHolder {
  cuda::grid_cnn::TrainPass pass;
  cuda::grid_cnn::Gradients gradients;
  at::Tensor anchor;         // a weight, for autograd to know that there is something to learn
  at::Tensor values, grads;  // keep alive what `pass` and `gradients` point to

  // The pass over these observations, bytes or floats.
  cuda::grid_cnn::TrainPass over(const at::Tensor& obs, const at::Tensor& saved) const {
    cuda::grid_cnn::TrainPass mine = pass;
    mine.obs = obs.const_data_ptr();
    mine.obs_are_floats = obs.scalar_type() == at::kFloat;
    mine.batch = static_cast<int>(obs.size(0));
    mine.saved = saved.mutable_data_ptr();
    return mine;
  }
};

at::Tensor bytes_on(at::Device device, std::int64_t count) {
  return at::empty({count}, at::TensorOptions(device).dtype(at::kByte));
}

struct Learn : torch::autograd::Function<Learn> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::tensor_list;

  static Tensors forward(Context* context, const at::Tensor& obs, const at::Tensor& /*anchor*/,
                         const c10::intrusive_ptr<MinigridLearner>& learner) {
    const cuda::grid_cnn::Shape& shape = learner->pass.shape;
    const auto batch = static_cast<int>(obs.size(0));
    const at::Tensor saved = bytes_on(obs.device(), cuda::grid_cnn::saved_bytes(shape, batch));
    const at::TensorOptions floats = obs.options().dtype(at::kFloat);
    const at::Tensor logits = at::empty({batch, shape.num_actions}, floats);
    const at::Tensor value = at::empty({batch}, floats);
    cuda::grid_cnn::forward(learner->over(obs, saved), logits.mutable_data_ptr<float>(),
                            value.mutable_data_ptr<float>(), current_stream());
    context->save_for_backward({obs, saved});
    context->saved_data["learner"] = c10::IValue::make_capsule(learner);
    return {logits, value};
  }

  static Tensors backward(Context* context, const Tensors& grads) {
    const c10::intrusive_ptr<torch::CustomClassHolder> kept =
        context->saved_data["learner"].toCapsule();
    const auto& learner = static_cast<const MinigridLearner&>(*kept);
    const Tensors saved = context->get_saved_variables();
    const cuda::grid_cnn::TrainPass pass = learner.over(saved[0], saved[1]);
    const at::Tensor scratch =
        bytes_on(saved[0].device(), cuda::grid_cnn::scratch_bytes(pass.shape, pass.batch));
    const at::Tensor logits_grad = grads[0].contiguous();
    const at::Tensor value_grad = grads[1].contiguous();
    cuda::grid_cnn::backward(pass, logits_grad.const_data_ptr<float>(),
                             value_grad.const_data_ptr<float>(), scratch.mutable_data_ptr(),
                             learner.gradients, current_stream());
    return {at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

std::optional<OwnActor> own_minigrid_actor(const Network& network,
                                           const MinigridNetworkConfig& config) {
  const cuda::grid_cnn::Shape shape = shape_of(network.shape(), config);
  if (!network.device().is_cuda() || capability(network.device()) < 80) return std::nullopt;
  if (!cuda::grid_cnn::can_infer(shape, static_cast<int>(network.shape().channels)))
    return std::nullopt;

  // The kernels read the weights where they lie.
  const at::Tensor values = network.parameters().values();
  const cuda::grid_cnn::Weights weights = weights_of(network.parameters(), config.shared_hidden);
  const auto memory = std::make_shared<MinigridMemory>(shape, network.device());
  return OwnActor{.refresh = [] {},
                  .act =
                      [values, shape, weights, memory](const cuda::InferenceJob& job) {
                        cuda::grid_cnn::infer(shape, weights, job, memory->for_batch(job.batch),
                                              current_stream());
                      }};
}

std::optional<OwnLearner> own_minigrid_learner(const Network& network,
                                               const MinigridNetworkConfig& config) {
  const at::Device device = network.device();
  const cuda::grid_cnn::Shape shape = shape_of(network.shape(), config);
  if (network.precision() != Precision::kBf16 || !device.is_cuda()) return std::nullopt;
  if (capability(device) < 80 ||
      !cuda::grid_cnn::can_train(shape, static_cast<int>(network.shape().channels),
                                 shared_memory(device))) {
    return std::nullopt;
  }
  const Parameters& parameters = network.parameters();
  const auto learner = c10::make_intrusive<MinigridLearner>();
  learner->pass = {.shape = shape,
                   .shared_hidden = config.shared_hidden,
                   .weights = weights_of(parameters, config.shared_hidden)};
  learner->gradients = gradients_of(parameters, config.shared_hidden);
  learner->anchor = parameters["conv1.w"];
  learner->values = parameters.values();
  learner->grads = parameters.grads();
  return [learner](const at::Tensor& obs) -> Output {
    const at::Tensor seen = obs.scalar_type() == at::kByte ? obs : obs.to(at::kFloat);
    const Learn::Tensors out = Learn::apply(seen.contiguous(), learner->anchor, learner);
    return {out[0], out[1]};
  };
}

}  // namespace plr::learn

#else

namespace plr::learn {

std::optional<OwnActor> own_minigrid_actor(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

std::optional<OwnLearner> own_minigrid_learner(const Network&, const MinigridNetworkConfig&) {
  return std::nullopt;
}

}  // namespace plr::learn

#endif

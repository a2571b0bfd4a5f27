#include "plr/learn/native_lstm.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDAGuard.h>

#include <string>

#include "plr/learn/cuda/lstm/features.h"
#include "plr/learn/cuda/lstm/heads.h"
#include "plr/learn/cuda/lstm/inference.h"
#include "plr/learn/cuda/lstm/recurrence.h"
#include "plr/learn/cuda/lstm/tile_inference.h"
#include "plr/learn/cuda_device.h"

namespace plr::learn {
namespace {

cuda::lstm::Shape kernel_shape(const NetworkShape& s, const LstmConfig& config) {
  return {static_cast<int>(s.height),          static_cast<int>(s.width),
          static_cast<int>(s.channels),        static_cast<int>(s.num_directions),
          static_cast<int>(config.lstm_units), s.actions.num_choices()};
}

cuda::lstm::Weights bind_weights(const Parameters& parameters, bool has_direction) {
  const auto find = [&](const char* name) { return parameters[name].const_data_ptr<float>(); };
  return {.conv = find("conv.w"),
          .conv_bias = find("conv.b"),
          .direction = has_direction ? find("direction.w") : nullptr,
          .direction_bias = has_direction ? find("direction.b") : nullptr,
          .input = find("lstm_input.w"),
          .input_bias = find("lstm_input.b"),
          .hidden = find("lstm_hidden.w"),
          .policy_hidden = find("policy_hidden.w"),
          .policy_hidden_bias = find("policy_hidden.b"),
          .policy = find("policy.w"),
          .policy_bias = find("policy.b"),
          .value_hidden = find("value_hidden.w"),
          .value_hidden_bias = find("value_hidden.b"),
          .value = find("value.w"),
          .value_bias = find("value.b")};
}

cuda::lstm::Gradients bind_gradients(const Parameters& parameters, bool has_direction) {
  const auto find = [&](const char* name) {
    return parameters[name].grad().mutable_data_ptr<float>();
  };
  return {.conv = find("conv.w"),
          .conv_bias = find("conv.b"),
          .direction = has_direction ? find("direction.w") : nullptr,
          .direction_bias = has_direction ? find("direction.b") : nullptr,
          .policy_hidden_bias = find("policy_hidden.b"),
          .policy = find("policy.w"),
          .policy_bias = find("policy.b"),
          .value_hidden_bias = find("value_hidden.b"),
          .value = find("value.w"),
          .value_bias = find("value.b")};
}

// One kernel of clusters, with a packed copy of the weights.
class LstmInference : public NativeInference {
 public:
  LstmInference(const Network& network, const LstmConfig& config)
      : values_(network.parameters().values()),
        shape_(kernel_shape(network.shape(), config)),
        weights_(bind_weights(network.parameters(), shape_.directions > 0)),
        packed_(at::zeros({cuda::lstm::packed_bytes(shape_)}, values_.options().dtype(at::kByte))) {
  }

  void refresh() override {
    cuda::lstm::pack_weights(shape_, weights_, packed_.mutable_data_ptr(), current_stream());
  }

  void infer(const cuda::InferenceJob& job) override {
    cuda::lstm::infer(shape_, packed_.const_data_ptr(), job, current_stream());
  }

 private:
  at::Tensor values_;  // keeps alive what weights_ points to
  cuda::lstm::Shape shape_;
  cuda::lstm::Weights weights_;
  at::Tensor packed_;
};

// One kernel for many items, with a packed copy of the weights.
class LstmTileInference : public NativeInference {
 public:
  LstmTileInference(const Network& network, const cuda::lstm::Shape& shape)
      : values_(network.parameters().values()),
        shape_(shape),
        weights_(bind_weights(network.parameters(), shape_.directions > 0)),
        packed_(at::zeros({cuda::lstm::packed_tile_bytes(shape_)},
                          values_.options().dtype(at::kByte))) {}

  void refresh() override {
    cuda::lstm::pack_tile_weights(shape_, weights_, packed_.mutable_data_ptr(), current_stream());
  }

  void infer(const cuda::InferenceJob& job) override {
    cuda::lstm::infer_tiles(shape_, packed_.const_data_ptr(), job, current_stream());
  }

 private:
  at::Tensor values_;  // keeps alive what weights_ points to
  cuda::lstm::Shape shape_;
  cuda::lstm::Weights weights_;
  at::Tensor packed_;
};

// All layers are native, with matrix products over all samples by cuBLAS: the outputs are logits
// and value.
class LstmTraining : public NativeTraining {
 public:
  LstmTraining(Network& network, const LstmConfig& config)
      : values_(network.parameters().values()),
        grads_(network.parameters().grads()),
        precision_(network.precision()),
        shape_(kernel_shape(network.shape(), config)),
        weights_(bind_weights(network.parameters(), shape_.directions > 0)),
        gradients_(bind_gradients(network.parameters(), shape_.directions > 0)) {
    const auto grad_of = [&](const char* name) { return network.parameters()[name].grad(); };
    input_grad_ = grad_of("lstm_input.w").view({4, shape_.units, -1});
    input_bias_grad_ = grad_of("lstm_input.b").view({4, shape_.units});
    hidden_grad_ = grad_of("lstm_hidden.w").view({4, shape_.units, -1});
    policy_hidden_grad_ = grad_of("policy_hidden.w");
    value_hidden_grad_ = grad_of("value_hidden.w");
  }

  SavedActivations forward(const at::Tensor& obs, const Recurrence& recurrence) override {
    void* stream = current_stream();
    Saved saved;
    const std::int64_t rows = obs.size(0);
    saved.obs = obs;
    saved.recurrence = {recurrence.state.contiguous(), recurrence.resets.contiguous()};
    saved.features = io_empty({rows, shape_.feature_pitch()});
    cuda::lstm::compute_features(feature_pass(obs), saved.features.mutable_data_ptr(), stream);
    saved.input_weight = io_empty({4 * shape_.units, shape_.feature_pitch()});
    cuda::lstm::pack_input_weight(shape_, numbers(), weights_,
                                  saved.input_weight.mutable_data_ptr(), stream);
    const at::Tensor x_gates = at::mm(saved.features, saved.input_weight.t());
    saved.gates =
        at::empty(x_gates.sizes(), values_.options().dtype(is_bf16() ? at::kHalf : at::kFloat));
    saved.cells = at::empty({rows, shape_.units}, values_.options());
    saved.hidden = io_empty({rows, shape_.units});
    saved.hidden_before = at::empty_like(saved.hidden);
    cuda::lstm::recur_forward(recurrent_pass(saved), x_gates.const_data_ptr(),
                              saved.hidden.mutable_data_ptr(),
                              saved.hidden_before.mutable_data_ptr(), stream);
    saved.heads_weight = io_empty({2 * cuda::lstm::kHeadUnits, shape_.units});
    cuda::lstm::pack_heads(shape_, numbers(), weights_, saved.heads_weight.mutable_data_ptr(),
                           stream);
    saved.products = at::mm(saved.hidden, saved.heads_weight.t());
    const at::Tensor logits = at::empty({rows, shape_.actions}, values_.options());
    const at::Tensor value = at::empty({rows}, values_.options());
    cuda::lstm::heads_forward(heads_pass(saved), logits.mutable_data_ptr<float>(),
                              value.mutable_data_ptr<float>(), stream);
    return {.outputs = {logits.requires_grad_(), value.requires_grad_()},
            .tensors = saved.tensors()};
  }

  Output heads(const SavedActivations& saved) const override {
    return {saved.outputs[0], saved.outputs[1]};
  }

  void backward(const SavedActivations& saved_activations,
                const std::vector<at::Tensor>& grads) override {
    const at::NoGradGuard no_grad;
    void* stream = current_stream();
    const Saved saved(saved_activations.tensors);
    const at::Tensor logits_grad = grads[0].contiguous();
    const at::Tensor value_grad = grads[1].contiguous();
    const at::Tensor products_grad = at::empty_like(saved.products);
    const auto rows = static_cast<int>(saved.obs.size(0));
    const at::Tensor heads_partials =
        partials(cuda::lstm::heads_blocks(rows), cuda::lstm::heads_sums(shape_));
    cuda::lstm::heads_backward(heads_pass(saved), logits_grad.const_data_ptr<float>(),
                               value_grad.const_data_ptr<float>(), products_grad.mutable_data_ptr(),
                               heads_partials.mutable_data_ptr<float>(), gradients_, stream);
    const at::Tensor heads_grad = at::mm(products_grad.t(), saved.hidden);
    policy_hidden_grad_.add_(heads_grad.narrow(0, 0, cuda::lstm::kHeadUnits));
    value_hidden_grad_.add_(heads_grad.narrow(0, cuda::lstm::kHeadUnits, cuda::lstm::kHeadUnits));

    const at::Tensor hidden_grad = at::mm(products_grad, saved.heads_weight);
    const at::Tensor gates_grad = io_empty(saved.gates.sizes());
    cuda::lstm::recur_backward(recurrent_pass(saved), hidden_grad.const_data_ptr(),
                               gates_grad.mutable_data_ptr(), stream);
    // The gates of a unit are together; in the parameters, the units of a gate are.
    const auto product = [&](const at::Tensor& inputs) {
      return at::mm(gates_grad.t(), inputs).view({shape_.units, 4, -1}).transpose(0, 1);
    };
    hidden_grad_.add_(product(saved.hidden_before));
    const at::Tensor input_grad = product(saved.features);
    input_grad_.add_(input_grad.narrow(2, 0, shape_.num_features()));
    input_bias_grad_.add_(input_grad.select(2, shape_.num_features()));

    const at::Tensor features_grad = at::mm(gates_grad, saved.input_weight);
    const at::Tensor feature_partials =
        partials(cuda::lstm::feature_blocks(rows), cuda::lstm::feature_sums(shape_));
    cuda::lstm::features_backward(feature_pass(saved.obs), saved.features.const_data_ptr(),
                                  features_grad.const_data_ptr(),
                                  feature_partials.mutable_data_ptr<float>(), gradients_, stream);
  }

 private:
  // SavedActivations::tensors by name.
  struct Saved {
    Saved() = default;
    explicit Saved(const std::vector<at::Tensor>& t)
        : obs(t[0]),
          recurrence{t[1], t[2]},
          features(t[3]),
          input_weight(t[4]),
          gates(t[5]),
          cells(t[6]),
          hidden(t[7]),
          hidden_before(t[8]),
          heads_weight(t[9]),
          products(t[10]) {}
    std::vector<at::Tensor> tensors() const {
      return {obs,   recurrence.state, recurrence.resets, features,     input_weight, gates,
              cells, hidden,           hidden_before,     heads_weight, products};
    }

    at::Tensor obs;
    Recurrence recurrence;
    at::Tensor features, input_weight, gates, cells, hidden, hidden_before, heads_weight, products;
  };

  bool is_bf16() const { return precision_ == Precision::kBf16; }
  cuda::lstm::Numbers numbers() const {
    return is_bf16() ? cuda::lstm::Numbers::kBf16 : cuda::lstm::Numbers::kExact;
  }
  at::Tensor io_empty(at::IntArrayRef size) const {
    return at::empty(size, values_.options().dtype(is_bf16() ? at::kBFloat16 : at::kFloat));
  }
  at::Tensor partials(std::int64_t rows, std::int64_t sums) const {
    return at::empty({rows, sums}, values_.options());
  }

  cuda::lstm::FeaturePass feature_pass(const at::Tensor& obs) const {
    return {.shape = shape_,
            .numbers = numbers(),
            .weights = weights_,
            .obs = obs.const_data_ptr<std::uint8_t>(),
            .rows = static_cast<int>(obs.size(0))};
  }

  cuda::lstm::RecurrentPass recurrent_pass(const Saved& saved) const {
    const auto& [state, resets] = saved.recurrence;
    return {.numbers = numbers(),
            .steps = static_cast<int>(resets.size(0)),
            .sequences = static_cast<int>(resets.size(1)),
            .units = shape_.units,
            .hidden_weight = weights_.hidden,
            .state = state.const_data_ptr<float>(),
            .resets = resets.const_data_ptr<float>(),
            .gates = saved.gates.mutable_data_ptr(),
            .cells = saved.cells.mutable_data_ptr<float>()};
  }

  cuda::lstm::HeadsPass heads_pass(const Saved& saved) const {
    return {.shape = shape_,
            .numbers = numbers(),
            .weights = weights_,
            .products = saved.products.const_data_ptr(),
            .rows = static_cast<int>(saved.products.size(0))};
  }

  at::Tensor values_, grads_;  // keep alive what weights_ and gradients_ point to
  Precision precision_;
  cuda::lstm::Shape shape_;
  cuda::lstm::Weights weights_;
  cuda::lstm::Gradients gradients_;
  // Of the weights that are multiplied with all samples at once.
  at::Tensor input_grad_, input_bias_grad_, hidden_grad_, policy_hidden_grad_, value_hidden_grad_;
};

}  // namespace

KernelChoices choose_lstm_kernels(const Network& network, const LstmConfig& config,
                                  Kernels kernels) {
  const auto libtorch = [](const std::string& reason) -> KernelChoices {
    return {{KernelKind::kLibtorch, reason}, {KernelKind::kLibtorch, reason}};
  };
  if (kernels == Kernels::kPortable) {
    return libtorch("there are only native kernels for Hopper for this architecture");
  }
  if (capability(network.device()) != kHopperCapability) {
    return libtorch("native kernels of this architecture need compute capability 9.0, not " +
                    capability_text(network.device()));
  }
  const c10::cuda::CUDAGuard guard(network.device());
  const cuda::lstm::Shape shape = kernel_shape(network.shape(), config);
  const KernelChoice native = {KernelKind::kHopper, "compute capability 9.0"};
  const KernelChoice none = {KernelKind::kLibtorch, "native kernels do not support these sizes"};
  const bool can_train = cuda::lstm::can_recur(shape.units) &&
                         cuda::lstm::can_compute_features(shape) &&
                         shape.actions <= cuda::lstm::kMaxActions;
  return {cuda::lstm::can_infer(shape) ? native : none, can_train ? native : none};
}

std::unique_ptr<NativeInference> make_lstm_inference(const Network& network,
                                                     const LstmConfig& config) {
  return std::make_unique<LstmInference>(network, config);
}

std::unique_ptr<NativeInference> make_lstm_tile_inference(const Network& network,
                                                          const LstmConfig& config) {
  const cuda::lstm::Shape shape = kernel_shape(network.shape(), config);
  if (network.precision() != Precision::kBf16 || !cuda::lstm::can_infer_tiles(shape)) {
    return nullptr;
  }
  return std::make_unique<LstmTileInference>(network, shape);
}

std::unique_ptr<NativeTraining> make_lstm_training(Network& network, const LstmConfig& config) {
  return std::make_unique<LstmTraining>(network, config);
}

}  // namespace plr::learn

#include "plr/learn/cuda_backend.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/autograd.h>

#include <utility>
#include <vector>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/ppo/adam_step.h"
#include "plr/learn/cuda/ppo/ppo_step.h"
#include "plr/learn/cuda_device.h"
#include "plr/learn/cuda_inference.h"
#include "plr/learn/kernel_choice.h"
#include "plr/learn/native_network.h"
#include "plr/learn/ppo.h"
#include "plr/learn/torch_inference.h"

namespace plr::learn {
namespace {

// A counter of finished thread blocks, which kernels leave at zero.
at::Tensor make_counter(at::Device device) {
  return at::zeros({1}, at::TensorOptions(device).dtype(at::kInt));
}

unsigned* counter_data(const at::Tensor& counter) {
  return reinterpret_cast<unsigned*>(counter.mutable_data_ptr<int>());
}

float* data(const at::Tensor& tensor) { return tensor.mutable_data_ptr<float>(); }

// Recurrent inference of so many slots, such as that of a survey, is by other kernels or by
// libtorch. The kernel for rollouts reads the weights once per 8 observations: it takes the least
// time for a few hundred, and about 0.2 us per observation for more.
constexpr std::size_t kManyRecurrentSlots = 2048;

class CudaBackend : public Backend {
 public:
  CudaBackend(Network given, Kernels kernels)
      : Backend(std::move(given)),
        kernels_(kernels),
        has_native_inference_(choose_kernels(network(), kernels).inference.kind !=
                              KernelKind::kLibtorch),
        has_inference_of_many_(make_native_inference_of_many(network(), kernels) != nullptr),
        training_(make_native_training(network(), kernels)),
        loss_blocks_done_(make_counter(network().device())),
        adam_blocks_done_(make_counter(network().device())) {}

  bool is_native() const override { return has_native_inference_ && training_; }

  std::unique_ptr<collect::Inference> make_inference(const PolicyConfig& config,
                                                     std::size_t num_slots,
                                                     const RolloutTensors& rollout) override;
  Minibatch gather(const UpdateTensors& update) override;
  at::Tensor backward(const PpoConfig& config, const Minibatch& minibatch, const ForwardPass& pass,
                      const at::Tensor& extra_loss) override;
  void step(const at::Tensor& losses, const at::Tensor& broken, Adam& adam) override;
  void store_losses(const at::Tensor& losses, const UpdateTensors& update) override;

 private:
  ForwardPass forward_all(const at::Tensor& obs, const Recurrence& recurrence) override;

  Kernels kernels_;
  bool has_native_inference_;
  bool has_inference_of_many_;
  std::unique_ptr<NativeTraining> training_;  // null where libtorch computes the network
  at::Tensor loss_blocks_done_;               // [1] int, this and the next
  at::Tensor adam_blocks_done_;
};

std::unique_ptr<collect::Inference> CudaBackend::make_inference(const PolicyConfig& config,
                                                                std::size_t num_slots,
                                                                const RolloutTensors& rollout) {
  const bool is_for_rollouts = rollout.obs.defined();
  const bool is_of_many =
      network().is_recurrent() && num_slots >= kManyRecurrentSlots && !is_for_rollouts;
  if (!(is_of_many ? has_inference_of_many_ : has_native_inference_)) {
    return std::make_unique<TorchInference>(network(), config, num_slots, rollout);
  }
  const auto make_kernels = [&] {
    return is_of_many ? make_native_inference_of_many(network(), kernels_)
                      : make_native_inference(network(), kernels_);
  };
  return std::make_unique<CudaInference>(network(), make_kernels, config, num_slots, rollout);
}

Minibatch CudaBackend::gather(const UpdateTensors& update) {
  const std::int64_t batch = update.permutations.size(1);
  std::vector<std::int64_t> shape = update.obs.sizes().vec();
  shape[0] = batch;
  // All columns but the action, which becomes an integer.
  const at::Tensor columns = at::empty({SampleColumn::kCount - 1, batch}, update.samples.options());
  const auto column = [&](SampleColumn::Index which) { return columns[which - 1]; };
  Minibatch minibatch{.obs = at::empty(shape, update.obs.options()),
                      .actions = at::empty({batch}, update.permutations.options()),
                      .old_log_probs = column(SampleColumn::kLogProb),
                      .old_values = column(SampleColumn::kValue),
                      .advantages = column(SampleColumn::kAdvantage),
                      .returns = column(SampleColumn::kReturn)};
  cuda::gather({.obs = update.obs.const_data_ptr<std::uint8_t>(),
                .samples = update.samples.const_data_ptr<float>(),
                .permutations = update.permutations.const_data_ptr<std::int64_t>(),
                .position = update.position.const_data_ptr<std::int64_t>(),
                .obs_bytes = update.obs.numel() / update.obs.size(0),
                .batch = static_cast<int>(batch),
                .out_obs = minibatch.obs.mutable_data_ptr<std::uint8_t>(),
                .out_actions = minibatch.actions.mutable_data_ptr<std::int64_t>(),
                .out_columns = data(columns)},
               current_stream());
  if (network().is_recurrent()) {
    minibatch.recurrence =
        gather_recurrence(update, update.permutations.index_select(0, update.position).squeeze(0));
  }
  return minibatch;
}

ForwardPass CudaBackend::forward_all(const at::Tensor& obs, const Recurrence& recurrence) {
  if (!training_) return {.output = network().forward(obs, recurrence), .more = {}, .saved = {}};
  const at::Tensor on_device = network().to_device(obs);
  const bool is_bytes = on_device.scalar_type() == at::kByte;
  SavedActivations saved = training_->forward(
      (is_bytes ? on_device : on_device.to(at::kFloat)).contiguous(), recurrence);
  const Output output = training_->heads(saved);
  return {.output = output, .more = {}, .saved = std::move(saved)};
}

at::Tensor CudaBackend::backward(const PpoConfig& config, const Minibatch& minibatch,
                                 const ForwardPass& pass, const at::Tensor& extra_loss) {
  const at::Tensor logits = pass.output.logits.detach().contiguous();
  const at::Tensor values = pass.output.value.detach().contiguous();
  const at::Tensor actions = minibatch.actions.contiguous();
  const at::Tensor old_log_probs = minibatch.old_log_probs.contiguous();
  const at::Tensor old_values = minibatch.old_values.contiguous();
  const at::Tensor advantages = minibatch.advantages.contiguous();
  const at::Tensor returns = minibatch.returns.contiguous();
  const int batch = static_cast<int>(logits.size(0));
  const at::Tensor sums =
      at::empty({cuda::loss_blocks(batch), cuda::LossSum::kCount}, logits.options());
  const at::Tensor logits_grad = at::empty_like(logits);
  const at::Tensor values_grad = at::empty_like(values);
  const at::Tensor losses = at::empty({LossColumn::kCount}, logits.options());
  cuda::ppo_loss({.logits = logits.const_data_ptr<float>(),
                  .values = values.const_data_ptr<float>(),
                  .actions = actions.const_data_ptr<std::int64_t>(),
                  .old_log_probs = old_log_probs.const_data_ptr<float>(),
                  .old_values = old_values.const_data_ptr<float>(),
                  .advantages = advantages.const_data_ptr<float>(),
                  .returns = returns.const_data_ptr<float>(),
                  .extra = extra_loss.defined() ? extra_loss.const_data_ptr<float>() : nullptr,
                  .batch = batch,
                  .num_actions = static_cast<int>(logits.size(1)),
                  .clip = static_cast<float>(config.clip),
                  .clip_value_loss = config.clip_value_loss,
                  .value_coef = static_cast<float>(config.value_coef),
                  .entropy_coef = static_cast<float>(config.entropy_coef),
                  .partial_sums = data(sums),
                  .blocks_done = counter_data(loss_blocks_done_),
                  .logits_grad = data(logits_grad),
                  .values_grad = data(values_grad),
                  .losses = data(losses)},
                 current_stream());
  std::vector<at::Tensor> tensors = {pass.output.logits, pass.output.value};
  std::vector<at::Tensor> grads = {logits_grad, values_grad};
  if (extra_loss.defined()) {
    tensors.push_back(extra_loss);
    grads.push_back(at::ones_like(extra_loss));
  }
  if (training_) {
    training_->backward_from(tensors, grads, pass.saved);
  } else {
    torch::autograd::backward(tensors, grads);
  }
  return losses;
}

void CudaBackend::step(const at::Tensor& losses, const at::Tensor& broken, Adam& adam) {
  const at::Tensor loss = losses[LossColumn::kTotal];
  const at::Tensor norm = losses[LossColumn::kGradNorm];
  const AdamState& state = adam.state();
  const AdamConfig& config = adam.config();
  const Parameters& parameters = adam.parameters();
  const at::Tensor sums = at::empty({cuda::kNormBlocks}, losses.options());
  const at::Tensor scales = at::empty({3}, losses.options());
  cuda::adam_step({.values = data(parameters.values()),
                   .grads = data(parameters.grads()),
                   .first_moment = data(state.first_moment),
                   .second_moment = data(state.second_moment),
                   .length = parameters.values().numel(),
                   .loss = loss.const_data_ptr<float>(),
                   .learning_rate = state.learning_rate.const_data_ptr<double>(),
                   .steps = data(state.num_steps),
                   .broken = data(broken),
                   .norm = data(norm),
                   .partial_sums = data(sums),
                   .scales = data(scales),
                   .blocks_done = counter_data(adam_blocks_done_),
                   .beta1 = config.beta1,
                   .beta2 = config.beta2,
                   .epsilon = config.epsilon,
                   .max_grad_norm = config.max_grad_norm,
                   .grad_norm_epsilon = config.grad_norm_epsilon},
                  current_stream());
}

void CudaBackend::store_losses(const at::Tensor& losses, const UpdateTensors& update) {
  cuda::store_losses(losses.const_data_ptr<float>(), data(update.losses),
                     update.position.mutable_data_ptr<std::int64_t>(), current_stream());
}

}  // namespace

std::string native_kernels_problem(at::Device device) {
  if (!device.is_cuda()) return "native kernels need a GPU";
  if (capability(device) < kAmpereCapability) {
    return "native kernels need compute capability 8.0 or newer, not " + capability_text(device);
  }
  const c10::cuda::CUDAGuard guard(device);
  if (!cuda::has_device_code()) {
    return "the program was not built for compute capability " + capability_text(device) +
           " (CMAKE_CUDA_ARCHITECTURES)";
  }
  return "";
}

std::string gpu_text(at::Device device) {
  cudaDeviceProp properties;
  cuda::check(cudaGetDeviceProperties(&properties, device_index(device)), "reading a GPU's name");
  return std::string(properties.name) + " (compute capability " + capability_text(device) + ")";
}

std::unique_ptr<Backend> make_cuda_backend(Network network, Kernels kernels) {
  return std::make_unique<CudaBackend>(std::move(network), kernels);
}

}  // namespace plr::learn

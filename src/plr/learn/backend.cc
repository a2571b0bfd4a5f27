#include "plr/learn/backend.h"

#include <ATen/ATen.h>

#include <stdexcept>
#include <utility>

#include "plr/learn/cuda_backend.h"
#include "plr/learn/kernel_choice.h"
#include "plr/learn/torch_backend.h"

namespace plr::learn {
namespace {

Output rows(const Output& output, std::int64_t first, std::int64_t count) {
  return {output.logits.narrow(0, first, count), output.value.narrow(0, first, count)};
}

}  // namespace

ForwardPass Backend::forward(const Minibatch& minibatch, const at::Tensor& more_obs) {
  const at::Tensor& obs = minibatch.obs;
  if (!more_obs.defined()) return forward_all(obs, minibatch.recurrence);
  ForwardPass pass = forward_all(at::cat({obs, more_obs}), {});
  const Output both = pass.output;
  pass.output = rows(both, 0, obs.size(0));
  pass.more = rows(both, obs.size(0), more_obs.size(0));
  return pass;
}

Recurrence gather_recurrence(const UpdateTensors& update, const at::Tensor& indices) {
  if (!update.first_state.defined()) return {};
  const at::Tensor samples_by_step = indices.view({update.sequence_length, -1});
  // The samples of the first step have the numbers of their slots.
  return {.state = update.first_state.index_select(0, samples_by_step[0]),
          .resets = update.resets.index_select(0, indices).view_as(samples_by_step)};
}

std::unique_ptr<Backend> make_backend(Network network, Kernels kernels) {
  const bool use_cuda = kernels != Kernels::kLibtorch && runs_native_kernels(network.device()) &&
                        has_native_interface(network);
  if (kernels == Kernels::kNative || kernels == Kernels::kPortable) {
    const auto [inference, training] = choose_kernels(network, kernels);
    for (const KernelChoice& choice : {inference, training}) {
      if (choice.kind != KernelKind::kLibtorch) continue;
      throw std::invalid_argument("kernels must be auto or libtorch, not " + to_text(kernels) +
                                  ": " + choice.reason);
    }
  }
  if (use_cuda) return make_cuda_backend(std::move(network), kernels);
  return std::make_unique<TorchBackend>(std::move(network));
}

}  // namespace plr::learn

#include "plr/learn/cuda_inference.h"

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>

namespace plr::learn {

using collect::InferenceItem;

namespace {

InferenceItem* items_in(const at::Tensor& tensor) {
  return static_cast<InferenceItem*>(tensor.mutable_data_ptr());
}

cuda::PolicyTerm to_policy_term(ScoreFunction function) {
  switch (function) {
    case ScoreFunction::kPolicyEntropy:
      return cuda::PolicyTerm::kEntropy;
    case ScoreFunction::kLeastConfidence:
      return cuda::PolicyTerm::kLeastConfidence;
    case ScoreFunction::kMinMargin:
      return cuda::PolicyTerm::kMinMargin;
    default:
      return cuda::PolicyTerm::kNone;
  }
}

}  // namespace

CudaInference::CudaInference(const Network& network, const MakeKernels& make_kernels,
                             const PolicyConfig& config, std::size_t num_slots,
                             const RolloutTensors& rollout)
    : network_(network), buffers_(network, num_slots), rollout_(rollout) {
  if (network.is_recurrent() && !rollout_.state.defined()) {
    rollout_.state = at::zeros({static_cast<std::int64_t>(num_slots), network.state_size()},
                               at::TensorOptions(network.device()));
  }
  const auto floats = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
  };
  job_ = {.host_obs = buffers_.observations().data(),
          .history = rollout.obs.defined() ? rollout.obs.mutable_data_ptr<std::uint8_t>() : nullptr,
          .results = buffers_.results().data(),
          .state = floats(rollout_.state),
          .first_state = floats(rollout_.first_state),
          .num_slots = static_cast<int>(num_slots),
          .num_actions = network.shape().actions.num_choices(),
          .greedy = config.greedy,
          .term = to_policy_term(config.score_function)};
  const auto bytes = static_cast<std::int64_t>(num_slots * sizeof(InferenceItem));
  for (int i = 0; i < kNumLanes; ++i) {
    lanes_.push_back(
        {c10::cuda::getStreamFromPool(/*isHighPriority=*/false, network.device().index()),
         make_kernels(), at::zeros({bytes}, at::TensorOptions(at::kByte).pinned_memory(true)),
         at::zeros({bytes}, at::TensorOptions(network.device()).dtype(at::kByte))});
  }
}

// The lanes begin behind what this thread has enqueued so far, such as an update of the weights.
void CudaInference::refresh() {
  c10::Event enqueued(c10::kCUDA);
  enqueued.record(c10::cuda::getCurrentCUDAStream().unwrap());
  for (Lane& lane : lanes_) {
    const c10::cuda::CUDAStreamGuard guard(lane.stream);
    enqueued.block(lane.stream.unwrap());
    lane.kernels->refresh();
  }
}

void CudaInference::submit(std::size_t number, std::span<const InferenceItem> items) {
  const c10::InferenceMode inference;
  Lane& lane = lanes_[number];
  std::ranges::copy(items, items_in(lane.host_items));
  job_.items = items_in(lane.host_items);
  job_.device_items = items_in(lane.device_items);
  job_.batch = static_cast<int>(items.size());
  const c10::cuda::CUDAStreamGuard guard(lane.stream);
  lane.kernels->infer(job_);
}

void CudaInference::check_device() {
  for (const Lane& lane : lanes_) lane.stream.synchronize();
}

}  // namespace plr::learn

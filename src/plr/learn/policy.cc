#include "plr/learn/policy.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plr::learn {

Policy::Policy(Backend& backend, const PolicyConfig& config, std::size_t max_batch)
    : inference_(backend.make_inference(config, max_batch)), max_batch_(max_batch) {
  refresh();
}

void Policy::act(const at::Tensor& obs, std::span<const double> uniforms, const Decisions& out) {
  submit(obs, uniforms);
  collect(out);
}

void Policy::submit(const at::Tensor& obs, std::span<const double> uniforms) {
  const auto batch = static_cast<std::size_t>(obs.size(0));
  if (batch > max_batch_) {
    throw std::invalid_argument("obs must have at most " + std::to_string(max_batch_) +
                                " observations, not " + std::to_string(batch));
  }
  num_submitted_ = batch;
  check(uniforms.size(), "uniforms");
  inference_->submit(obs, uniforms);
}

void Policy::collect(const Decisions& out) {
  check(out.actions.size(), "actions");
  check(out.log_probs.size(), "log_probs");
  check(out.values.size(), "values");
  if (!out.terms.empty()) check(out.terms.size(), "terms");
  const std::span<const InferenceResult> results = inference_->collect();
  for (std::size_t i = 0; i < num_submitted_; ++i) {
    out.actions[i] = static_cast<std::int32_t>(results[i].action);
    out.log_probs[i] = results[i].log_prob;
    out.values[i] = results[i].value;
    if (!out.terms.empty()) out.terms[i] = results[i].term;
  }
}

void Policy::collect_values(std::span<float> values) {
  check(values.size(), "values");
  std::ranges::transform(inference_->collect(), values.begin(), &InferenceResult::value);
}

void Policy::check(std::size_t length, const char* name) const {
  if (length != num_submitted_) {
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(num_submitted_) +
                                " elements, one per observation, not " + std::to_string(length));
  }
}

}  // namespace plr::learn

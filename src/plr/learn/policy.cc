#include "plr/learn/policy.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace plr::learn {
namespace {

// Polls before the device is asked whether it has failed; some milliseconds.
constexpr int kPollsBeforeCheck = 1 << 20;

}  // namespace

Policy::Policy(Backend& backend, const PolicyConfig& config, std::size_t num_slots)
    : inference_(backend.make_inference(config, num_slots, {})),
      num_slots_(num_slots),
      begins_episode_(num_slots, true) {
  refresh();
}

void Policy::act(std::span<const double> uniforms, const Decisions& out) {
  check(uniforms.size(), "uniforms");
  check(out.actions.size(), "actions");
  check(out.log_probs.size(), "log_probs");
  check(out.values.size(), "values");
  if (!out.terms.empty()) check(out.terms.size(), "terms");
  std::vector<collect::InferenceItem> items;
  items.reserve(num_slots_);
  const std::span<collect::InferenceResult> results = inference_->results();
  for (std::size_t slot = 0; slot < num_slots_; ++slot) {
    items.push_back({.slot = static_cast<std::int32_t>(slot),
                     .step = 0,
                     .begins_episode = begins_episode_[slot],
                     .value_only = 0,
                     .uniform = uniforms[slot]});
    begins_episode_[slot] = false;
    collect::mark_pending(results[slot]);
  }
  inference_->submit(0, items);
  for (std::size_t slot = 0; slot < num_slots_; ++slot) {
    wait(slot);
    out.actions[slot] = static_cast<std::int32_t>(results[slot].action);
    out.log_probs[slot] = results[slot].log_prob;
    out.values[slot] = results[slot].value;
    if (!out.terms.empty()) out.terms[slot] = results[slot].term;
  }
}

void Policy::wait(std::size_t slot) {
  collect::InferenceResult& result = inference_->results()[slot];
  for (int num_polls = 0; !collect::is_written(result); ++num_polls) {
    if (num_polls < kPollsBeforeCheck) continue;
    inference_->check_device();
    if (collect::is_written(result)) return;
    throw std::runtime_error("the device has finished inference without writing its results");
  }
}

void Policy::check(std::size_t length, const char* name) const {
  if (length != num_slots_) {
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(num_slots_) +
                                " elements, one per slot, not " + std::to_string(length));
  }
}

}  // namespace plr::learn

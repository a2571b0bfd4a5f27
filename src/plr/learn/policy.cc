#include "plr/learn/policy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace plr::learn {
namespace {

// Polls before the device is checked for failure; some milliseconds.
constexpr int kPollsBeforeCheck = 1 << 20;

}  // namespace

Policy::Policy(Backend& backend, const PolicyConfig& config, std::size_t num_slots)
    : backend_(&backend),
      config_(config),
      num_slots_(num_slots),
      slots_(num_slots),
      is_retired_(num_slots),
      begins_episode_(num_slots, true) {
  std::iota(slots_.begin(), slots_.end(), std::size_t{0});
  const Network& network = backend.network();
  if (network.is_recurrent()) {
    state_ = at::zeros({static_cast<std::int64_t>(num_slots), network.state_size()},
                       at::TensorOptions(network.device()));
  }
  inference_ = backend.make_inference(config, num_slots, {.state = state_});
  refresh();
}

void Policy::refresh() { inference().refresh(); }

void Policy::retire(std::size_t slot) {
  if (!is_retired_[slot]) ++num_retired_;
  is_retired_[slot] = true;
}

void Policy::remove_retired() {
  if (num_retired_ == 0) return;
  const bool takes_any_batch = inference_->takes_any_batch();
  if (!takes_any_batch && 4 * num_retired_ < slots_.size()) return;
  std::vector<std::size_t> left;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (is_retired_[slots_[i]]) continue;
    left.push_back(slots_[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  slots_ = std::move(left);
  num_retired_ = 0;
  if (takes_any_batch || slots_.empty()) return;
  if (state_.defined()) state_ = state_.index_select(0, at::tensor(places).to(state_.device()));
  packed_ = backend_->make_inference(config_, slots_.size(), {.state = state_});
  packed_->refresh();
}

void Policy::act(std::span<const double> uniforms, const Decisions& out) {
  check(uniforms.size(), "uniforms");
  const ActionSpace& space = backend_->network().shape().actions;
  check(out.actions.size(), "actions", space.size());
  check(out.log_probs.size(), "log_probs");
  check(out.values.size(), "values");
  if (!out.terms.empty()) check(out.terms.size(), "terms");
  remove_retired();
  if (slots_.empty()) return;
  const std::span<collect::InferenceResult> results = inference().results();
  const std::size_t obs_size = observations().size() / num_slots_;
  std::vector<collect::InferenceItem> items;
  items.reserve(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::size_t slot = slots_[i];
    items.push_back({.slot = static_cast<std::int32_t>(place_of(i)),
                     .step = 0,
                     .begins_episode = begins_episode_[slot],
                     .value_only = 0,
                     .uniform = is_retired_[slot] ? 0 : uniforms[slot]});
    begins_episode_[slot] = false;
    collect::mark_pending(results[place_of(i)]);
    if (packed_) {
      std::ranges::copy(observations().subspan(slot * obs_size, obs_size),
                        packed_->observations().subspan(i * obs_size).begin());
    }
  }
  inference().submit(0, items);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::size_t slot = slots_[i];
    collect::InferenceResult& result = results[place_of(i)];
    wait(result);
    if (is_retired_[slot]) continue;
    collect::take_action(inference(), space, place_of(i),
                         out.actions.subspan(slot * space.size(), space.size()));
    out.log_probs[slot] = result.log_prob;
    out.values[slot] = result.value;
    if (!out.terms.empty()) out.terms[slot] = result.term;
  }
}

void Policy::wait(collect::InferenceResult& result) {
  for (int num_polls = 0; !collect::is_written(result); ++num_polls) {
    if (num_polls < kPollsBeforeCheck) continue;
    inference().check_device();
    if (collect::is_written(result)) return;
    throw std::runtime_error("the device has finished inference without writing its results");
  }
}

void Policy::check(std::size_t length, const char* name, std::size_t per_slot) const {
  if (length != num_slots_ * per_slot) {
    throw std::invalid_argument(std::string(name) + " must have " +
                                std::to_string(num_slots_ * per_slot) + " elements, " +
                                (per_slot == 1 ? "one" : std::to_string(per_slot)) +
                                " per slot, not " + std::to_string(length));
  }
}

}  // namespace plr::learn

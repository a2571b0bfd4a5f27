#include "plr/learn/network.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace plr::learn {
namespace {

// Lets libtorch compute layers in bf16 during its lifetime, if that is the precision.
class AutocastScope {
 public:
  explicit AutocastScope(Precision precision) : active_(precision == Precision::kBf16) {
    if (!active_) return;
    at::autocast::increment_nesting();
    at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCUDA, true);
  }
  ~AutocastScope() {
    if (!active_) return;
    at::autocast::set_autocast_enabled(at::kCUDA, false);
    // The cast weights are cached for one pass only: the next gradient step changes them.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool active_;
};

}  // namespace

Network::Network(const NetworkShape& shape, const Architecture& architecture, double scale,
                 Precision precision, Parameters parameters, Body body, std::int64_t state_size)
    : shape_(shape),
      architecture_(architecture),
      scale_(scale),
      precision_(precision),
      parameters_(std::move(parameters)),
      body_(std::move(body)),
      state_size_(state_size) {}

at::Tensor Network::to_device(const at::Tensor& obs) const {
  if (obs.dim() != 4 || obs.size(1) != shape_.height || obs.size(2) != shape_.width ||
      obs.size(3) != shape_.channels) {
    std::ostringstream message;
    message << "obs must have shape [B, " << shape_.height << ", " << shape_.width << ", "
            << shape_.channels << "], not " << obs.sizes();
    throw std::invalid_argument(message.str());
  }
  return obs.to(device(), /*non_blocking=*/true);
}

Output Network::forward(const at::Tensor& obs, const Recurrence& recurrence) const {
  const at::Tensor on_device = to_device(obs);
  // Bytes are exact in bf16 too.
  const at::ScalarType type = precision_ == Precision::kBf16 ? at::kBFloat16 : at::kFloat;
  at::Tensor images;
  if (normalizer_) {
    images = normalizer_->apply(on_device.to(at::kFloat)).to(type).permute({0, 3, 1, 2});
  } else {
    images = on_device.to(type).permute({0, 3, 1, 2});
    if (scale_ != 1 && !shape_.has_float_obs()) images = images / scale_;
  }

  const AutocastScope autocast(precision_);
  const Output out = body_(images, recurrence);
  return {out.logits.to(at::kFloat), out.value.to(at::kFloat).squeeze(1), out.state};
}

void Network::normalize_observations(const ObsNormalizerConfig& config) {
  normalizer_.emplace(config, std::array{shape_.height, shape_.width, shape_.channels}, device());
}

std::vector<NamedTensor> Network::state() const {
  std::vector<NamedTensor> named = parameters_.views(parameters_.values());
  if (!normalizer_) return named;
  for (NamedTensor& tensor : normalizer_->state()) named.push_back(std::move(tensor));
  return named;
}

at::Tensor view_of_obs(std::span<const std::uint8_t> bytes, const NetworkShape& shape) {
  const auto size = shape.obs_elements() * static_cast<std::int64_t>(size_of(shape.obs_type));
  const auto count = static_cast<std::int64_t>(bytes.size()) / size;
  // libtorch has no tensor of const elements; nothing writes through this one.
  return at::from_blob(const_cast<std::uint8_t*>(bytes.data()),
                       {count, shape.height, shape.width, shape.channels}, shape.obs_scalar());
}

}  // namespace plr::learn

#include "plr/learn/rollout.h"

#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include "plr/core/gae.h"
#include "plr/learn/device_copy.h"

namespace plr::learn {

Rollout::Rollout(const RolloutSize& size, const NetworkShape& shape, at::Device device)
    : actions(size.num_steps, size.num_slots),
      log_probs(size.num_steps, size.num_slots),
      values(size.num_steps + 1, size.num_slots),
      rewards(size.num_steps, size.num_slots),
      done(size.num_steps, size.num_slots),
      levels(size.num_steps, size.num_slots),
      advantages(size.num_steps, size.num_slots),
      returns(size.num_steps, size.num_slots),
      size_(size) {
  if (size.num_steps == 0) throw std::invalid_argument("num_steps must be at least 1, not 0");
  if (size.num_slots == 0) throw std::invalid_argument("num_slots must be at least 1, not 0");
  const auto rows = static_cast<std::int64_t>(size.num_steps) + 1;
  const auto slots = static_cast<std::int64_t>(size.num_slots);
  obs_ = at::zeros({rows, slots, shape.height, shape.width, shape.channels},
                   at::TensorOptions(device).dtype(at::kByte));
  host_obs_ = at::zeros({slots, shape.height, shape.width, shape.channels},
                        at::TensorOptions(at::kByte).pinned_memory(device.is_cuda()));
}

std::span<std::uint8_t> Rollout::host_obs() {
  return {host_obs_.mutable_data_ptr<std::uint8_t>(), static_cast<std::size_t>(host_obs_.numel())};
}

at::Tensor Rollout::take_obs(std::size_t step, std::size_t first_slot, std::size_t count) {
  if (step > num_steps()) {
    throw std::out_of_range("step must be from 0 to " + std::to_string(num_steps()) + ", not " +
                            std::to_string(step));
  }
  if (first_slot + count > num_slots()) {
    throw std::out_of_range("slot must be from 0 to " + std::to_string(num_slots() - 1) + ", not " +
                            std::to_string(first_slot + count - 1));
  }
  const auto first = static_cast<std::int64_t>(first_slot);
  const auto length = static_cast<std::int64_t>(count);
  at::Tensor part = obs_[static_cast<std::int64_t>(step)].narrow(0, first, length);
  copy_to_device_async(host_obs_.narrow(0, first, length), part);
  return part;
}

void compute_advantages(Rollout& rollout, double gamma, double lambda) {
  const std::span<const float> values = std::as_const(rollout.values).all();
  compute_gae<float>(rollout.rewards.all(), values, rollout.done.all(), rollout.num_slots(),
                     static_cast<float>(gamma), static_cast<float>(lambda),
                     rollout.advantages.all());
  for (std::size_t i = 0; i < rollout.num_samples(); ++i) {
    rollout.returns.all()[i] = rollout.advantages.all()[i] + values[i];
  }
}

}  // namespace plr::learn

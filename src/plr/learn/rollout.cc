#include "plr/learn/rollout.h"

#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include "plr/core/gae.h"

namespace plr::learn {

Rollout::Rollout(const RolloutSize& size, const NetworkShape& shape, at::Device device,
                 std::int64_t state_size)
    : StepTables(size.num_steps, size.num_slots,
                 shape.actions.wide_size() * static_cast<std::size_t>(size.own().size())),
      advantages(size.num_steps, size.num_slots),
      returns(size.num_steps, size.num_slots),
      size_(size) {
  if (size.num_steps == 0) throw std::invalid_argument("num_steps must be at least 1, not 0");
  if (size.num_slots == 0) throw std::invalid_argument("num_slots must be at least 1, not 0");
  const std::int64_t num_own = own_slots().size();
  obs_ = at::zeros({static_cast<std::int64_t>(size.num_steps) + 1, num_own, shape.height,
                    shape.width, shape.channels},
                   at::TensorOptions(device).dtype(shape.obs_scalar()));
  if (state_size == 0) return;
  first_state_ = at::zeros({num_own, state_size}, at::TensorOptions(device));
  state_ = at::zeros_like(first_state_);
}

void Rollout::set_obs(std::size_t step, std::span<const std::uint8_t> bytes) {
  if (step > num_steps()) {
    throw std::out_of_range("step must be from 0 to " + std::to_string(num_steps()) + ", not " +
                            std::to_string(step));
  }
  const at::Tensor row = obs_[static_cast<std::int64_t>(step)];
  if (bytes.size() != row.nbytes()) {
    throw std::invalid_argument("bytes must have " + std::to_string(row.nbytes()) +
                                " elements, not " + std::to_string(bytes.size()));
  }
  // from_blob() takes a pointer that is not const, but the tensor is only read.
  auto* data = const_cast<std::uint8_t*>(bytes.data());
  row.copy_(at::from_blob(data, row.sizes(), row.scalar_type()));
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

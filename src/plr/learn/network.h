// A network: from observations to a policy (the outputs of an action distribution, such as logits)
// and a value (the expected return).
//
//   const Network network = make_grid_cnn_network({14, 14, 3, 7}, {}, streams.named("init"),
//                                                 Precision::kFp32, device);
//   const auto [logits, value, state] = network.forward(obs);   // obs: bytes [B, H, W, C]
//
// Defined in libtorch's operations; a Backend may compute the same by other means (backend.h).
// Observations are bytes or floats, as the environment wrote them, or floats on the scale of bytes
// if they were mixed or augmented; forward() copies them to the device and scales or normalizes
// them.  The architectures are in grid_cnn_network.h, impala_network.h, lstm_network.h,
// mlp_network.h and cnn_network.h; one more needs its parameters and a function to an Output.
//
// A recurrent network has a state, which is zero at the start of an episode.  Its forward pass
// takes whole sequences:
//
//   network.forward(obs, {.state = at::zeros({B, network.state_size()}), .resets = resets});
//
// Movable, not copyable.  forward() may be called concurrently as long as nothing changes the
// parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plr/env/spaces.h"
#include "plr/learn/architecture.h"
#include "plr/learn/compute.h"
#include "plr/learn/obs_normalizer.h"
#include "plr/learn/parameters.h"

namespace plr::learn {

// The sizes that the environment prescribes.
struct NetworkShape {
  std::int64_t height = 0;  // the first dimension of an observation in memory
  std::int64_t width = 0;
  std::int64_t channels = 0;
  ActionSpace actions = {};
  // If above 0, the last channel is a direction 0..num_directions - 1, the same in all cells.
  std::int64_t num_directions = 0;
  ElementType obs_type = ElementType::kByte;

  std::int64_t obs_elements() const { return height * width * channels; }
  bool is_vector() const { return height == 1 && width == 1; }
  bool has_float_obs() const { return obs_type == ElementType::kFloat; }
  at::ScalarType obs_scalar() const { return has_float_obs() ? at::kFloat : at::kByte; }
};

// The recurrent part of a forward pass: B sequences of L steps.  Observations are in time-major
// order, [L * B, ...].
struct Recurrence {
  at::Tensor state;   // [B, state_size] floats: before the first step
  at::Tensor resets;  // [L, B] floats: 1 where the state is zero before the step
};

struct Output {
  at::Tensor logits;      // [B, num_outputs(actions)] of the policy (action_distribution.h)
  at::Tensor value;       // [B]
  at::Tensor state = {};  // [sequences, state_size] after the last step; undefined if there is none
};

class Network {
 public:
  // Scaled images [B, C, H, W], channels last in memory, to logits and a value [B, 1].
  using Body = std::function<Output(const at::Tensor& images, const Recurrence& recurrence)>;

  // `scale` divides observations of bytes: 255 for images, 1 for codes.  `state_size` is the number
  // of floats of a recurrent network's state, else 0.
  Network(const NetworkShape& shape, const Architecture& architecture, double scale,
          Precision precision, Parameters parameters, Body body, std::int64_t state_size = 0);

  // Normalizes observations instead of scaling them; normalizer() has the statistics.
  void normalize_observations(const ObsNormalizerConfig& config);
  bool normalizes_observations() const { return normalizer_.has_value(); }
  // REQUIRES: observations are normalized.
  ObsNormalizer& normalizer() { return *normalizer_; }

  // Bytes or floats [B, H, W, C] on any device; the outputs are floats on the network's device.
  // Throws std::invalid_argument if the shape does not fit.
  // REQUIRES: a recurrence, on the network's device, if and only if the network is recurrent.
  Output forward(const at::Tensor& obs, const Recurrence& recurrence = {}) const;

  // Observations on the network's device, copied if necessary.  Throws std::invalid_argument if the
  // shape does not fit.
  at::Tensor to_device(const at::Tensor& obs) const;

  const NetworkShape& shape() const { return shape_; }
  const Architecture& architecture() const { return architecture_; }
  std::int64_t state_size() const { return state_size_; }
  bool is_recurrent() const { return state_size_ > 0; }
  Precision precision() const { return precision_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  at::Device device() const { return parameters_.values().device(); }
  // Everything that determines the outputs, as views: the parameters, and the statistics of the
  // observations if they are normalized.
  std::vector<NamedTensor> state() const;

 private:
  NetworkShape shape_;
  Architecture architecture_;
  double scale_;
  Precision precision_;
  Parameters parameters_;
  Body body_;
  std::int64_t state_size_;
  std::optional<ObsNormalizer> normalizer_;
};

// Observations [B, H, W, C] in the caller's memory as a tensor, without a copy.
at::Tensor view_of_obs(std::span<const std::uint8_t> bytes, const NetworkShape& shape);

}  // namespace plr::learn

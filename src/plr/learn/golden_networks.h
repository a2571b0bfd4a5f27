// How do the tests of this directory get recorded networks and tensors?
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "plr/learn/own_kernels.h"
#include "plr/learn/test_devices.h"
#include "tests/support/golden_tensors.h"

namespace plr::testing {

template <class T>
at::Tensor as_tensor(const GoldenTensor<T>& golden, at::ScalarType dtype) {
  const auto count = static_cast<std::int64_t>(golden.elements.size());
  const std::vector<std::int64_t> shape = golden.stride == 1 ? golden.shape : std::vector{count};
  return at::from_blob(const_cast<T*>(golden.elements.data()), shape, dtype).clone();
}

// The network of a record of nets/, with the recorded weights; in bf16 by our own kernels, where
// there are any.
inline learn::Network golden_network(const GoldenTensors& record, bool relu_skip,
                                     const std::string& device_name,
                                     learn::Precision precision = learn::Precision::kFp32) {
  const nlohmann::json& settings = record.settings();
  const std::vector<std::int64_t> obs = record.bytes("obs").shape;  // [B, C, H, W]
  const learn::NetworkShape shape{obs[2], obs[3], obs[1], settings.at("actions")};
  const Random init = Streams(1).named("init");
  const at::Device device = exactly(device_name);  // on the CPU one thread, as when recorded
  const auto with_kernels = [&](learn::Network network, const auto& config) {
    if (precision == learn::Precision::kBf16)
      learn::choose_kernels(learn::Kernels::kAuto, config, network);
    return network;
  };
  const auto made = [&]() -> learn::Network {
    if (settings.at("net") == "procgen") {
      const learn::ProcgenNetworkConfig config{.relu_skip = relu_skip};
      return with_kernels(learn::make_procgen_network(shape, config, init, precision, device),
                          config);
    }
    const learn::MinigridNetworkConfig config{.channels = record.floats("w/conv3.b").shape[0]};
    return with_kernels(learn::make_minigrid_network(shape, config, init, precision, device),
                        config);
  };
  learn::Network network = made();
  std::vector<learn::NamedTensor> weights;
  for (const std::string& name : record.names("w/")) {
    weights.push_back({name, as_tensor(record.floats("w/" + name), at::kFloat)});
  }
  learn::copy_by_name(weights, network.parameters().views(network.parameters().values()));
  return network;
}

// The elements that a record of the tensor holds.
inline at::Tensor sample_of(const at::Tensor& tensor, const GoldenTensor<float>& golden) {
  return tensor.detach().cpu().contiguous().flatten().slice(0, 0, {}, golden.stride);
}

// The largest difference between a tensor and a record of it, or of a sample of it.
inline double distance(const at::Tensor& tensor, const GoldenTensor<float>& golden) {
  return (sample_of(tensor, golden) - as_tensor(golden, at::kFloat).flatten())
      .abs()
      .max()
      .item<double>();
}

// The length of that difference as a fraction of the length of the record.
inline double relative_distance(const at::Tensor& tensor, const GoldenTensor<float>& golden) {
  const at::Tensor recorded = as_tensor(golden, at::kFloat).flatten();
  return ((sample_of(tensor, golden) - recorded).norm() / recorded.norm()).item<double>();
}

}  // namespace plr::testing

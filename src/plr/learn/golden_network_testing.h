// Recorded networks and tensors, for tests.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "plr/learn/device_testing.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"
#include "tests/support/golden_tensors.h"

namespace plr::testing {

template <class T>
at::Tensor as_tensor(const GoldenTensor<T>& golden, at::ScalarType dtype) {
  const auto count = static_cast<std::int64_t>(golden.elements.size());
  const std::vector<std::int64_t> shape = golden.stride == 1 ? golden.shape : std::vector{count};
  return at::from_blob(const_cast<T*>(golden.elements.data()), shape, dtype).clone();
}

// The network of a record of nets/, with the recorded weights.
inline learn::Network golden_network(const GoldenTensors& record, bool relu_skip,
                                     const std::string& device_name,
                                     learn::Precision precision = learn::Precision::kFp32) {
  const nlohmann::json& settings = record.settings();
  const std::vector<std::int64_t> obs = record.bytes("obs").shape;  // [B, C, H, W]
  const learn::NetworkShape shape{obs[2], obs[3], obs[1], settings.at("actions").get<int>()};
  const Random init = Streams(1).named("init");
  const at::Device device = exactly(device_name);  // on the CPU one thread, as when recorded
  const auto made = [&]() -> learn::Network {
    if (settings.at("net") == "procgen") {
      return learn::make_impala_network(shape, {.relu_skip = relu_skip}, init, precision, device);
    }
    const learn::GridCnnConfig config{.channels = record.floats("w/conv3.b").shape[0]};
    return learn::make_grid_cnn_network(shape, config, init, precision, device);
  };
  learn::Network network = made();
  std::vector<learn::NamedTensor> weights;
  for (const std::string& name : record.names("w/")) {
    weights.push_back({name, as_tensor(record.floats("w/" + name), at::kFloat)});
  }
  learn::copy_by_name(weights, network.parameters().views(network.parameters().values()));
  return network;
}

// The elements of a tensor that its record holds.
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

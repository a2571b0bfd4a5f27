// Reads recorded tensors.
//
// A record is a pair of files: X.bin holds the tensors (little-endian, row-major), X.json their
// names and shapes and the settings of the recording.
//
//   const GoldenTensors net("nets/minigrid14");
//   const GoldenTensor<float> weight = net.floats("w/conv1.w");   // weight.shape is [16, 3, 2, 2]
//
// A record may hold every stride-th element of a tensor only. Missing or damaged files, unknown
// names and wrong types throw std::runtime_error. Copyable. Thread-safe for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace plr::testing {

template <class T>
struct GoldenTensor {
  std::vector<std::int64_t> shape;  // of the whole tensor
  std::int64_t stride = 1;
  std::vector<T> elements;  // elements 0, stride, 2 * stride, ...
};

class GoldenTensors {
 public:
  explicit GoldenTensors(const std::string& name);

  GoldenTensor<float> floats(const std::string& name) const;
  GoldenTensor<std::uint8_t> bytes(const std::string& name) const;
  GoldenTensor<std::int32_t> ints(const std::string& name) const;

  // The names that start with `prefix`, without it, in the order of the record.
  std::vector<std::string> names(const std::string& prefix) const;

  const nlohmann::json& settings() const { return index_; }

 private:
  template <class T>
  GoldenTensor<T> tensor(const std::string& name, const std::string& dtype) const;

  nlohmann::json index_;
  std::vector<std::byte> bytes_;
};

// The names of the records in a golden directory, sorted: "nets/minigrid14", ... for "nets".
std::vector<std::string> golden_records(const std::string& directory);

}  // namespace plr::testing

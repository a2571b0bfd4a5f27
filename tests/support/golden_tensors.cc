#include "tests/support/golden_tensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/support/golden.h"

namespace plr::testing {
namespace {

std::vector<char> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

GoldenTensors::GoldenTensors(const std::string& name) {
  index_ = nlohmann::json::parse(contents(golden_path(name + ".json")));
  const std::vector<char> chars = contents(golden_path(name + ".bin"));
  if (chars.size() != index_.at("bytes")) throw std::runtime_error("damaged file " + name + ".bin");
  bytes_.resize(chars.size());
  std::memcpy(bytes_.data(), chars.data(), chars.size());
}

template <class T>
GoldenTensor<T> GoldenTensors::tensor(const std::string& name, const std::string& dtype) const {
  const nlohmann::json& tensors = index_.at("tensors");
  const auto found = std::ranges::find_if(
      tensors, [&](const nlohmann::json& entry) { return entry.at("name") == name; });
  if (found == tensors.end()) throw std::runtime_error("no tensor " + name);
  if (found->at("dtype") != dtype) throw std::runtime_error(name + " is not of type " + dtype);
  std::size_t count = 1;
  for (const std::size_t n : found->at("shape")) count *= n;
  const std::size_t offset = found->at("offset");
  if (offset + count * sizeof(T) > bytes_.size()) throw std::runtime_error(name + " is cut");

  GoldenTensor<T> tensor;
  found->at(found->contains("full_shape") ? "full_shape" : "shape").get_to(tensor.shape);
  tensor.stride = found->value("stride", 1);
  tensor.elements.resize(count);
  std::memcpy(tensor.elements.data(), bytes_.data() + offset, count * sizeof(T));
  return tensor;
}

GoldenTensor<float> GoldenTensors::floats(const std::string& name) const {
  return tensor<float>(name, "f32");
}
GoldenTensor<std::uint8_t> GoldenTensors::bytes(const std::string& name) const {
  return tensor<std::uint8_t>(name, "u8");
}
GoldenTensor<std::int32_t> GoldenTensors::ints(const std::string& name) const {
  return tensor<std::int32_t>(name, "i32");
}

std::vector<std::string> GoldenTensors::names(const std::string& prefix) const {
  std::vector<std::string> found;
  for (const nlohmann::json& entry : index_.at("tensors")) {
    const std::string name = entry.at("name");
    if (name.starts_with(prefix)) found.push_back(name.substr(prefix.size()));
  }
  return found;
}

std::vector<std::string> golden_records(const std::string& directory) {
  std::vector<std::string> records;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path(directory))) {
    if (entry.path().extension() == ".json") {
      records.push_back(directory + "/" + entry.path().stem().string());
    }
  }
  if (records.empty()) throw std::runtime_error("no records in " + golden_path(directory).string());
  std::ranges::sort(records);
  return records;
}

}  // namespace plr::testing

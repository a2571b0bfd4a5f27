// Reads and writes tensors in the safetensors format, which libraries of many languages read.
//
// The format is the length of a header (8 bytes, little-endian), the header in JSON
//
//   {"__metadata__": {"step": "12"}, "weight": {"dtype": "F32", "shape": [2, 3], "data_offsets":
//   [0, 24]}}
//
// and the elements, row-major and little-endian, without gaps. It contains no executable code.
//
//   const std::vector<std::byte> bytes = to_safetensors(views, {{"step", "12"}});
//
//   const Safetensors file(bytes);
//   const TensorView& weight = file.find("weight");
//
// Concurrent reads of a Safetensors object are safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plr::run {

enum class DType {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kF16,
  kBF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64,
};
// The names of the format.
constexpr std::array<std::string_view, 13> enum_names(DType) {
  return {"BOOL", "U8",  "I8",  "U16", "I16", "F16", "BF16",
          "U32",  "I32", "F32", "U64", "I64", "F64"};
}
// Bytes per element.
std::size_t size_of(DType dtype);

struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;  // [] is a scalar
  std::span<const std::byte> data;  // not owned
};

// The bytes of a file with these tensors, the widest elements first, so that each is aligned. Equal
// tensors give equal bytes. Throws std::invalid_argument if a name occurs twice or the size of the
// data does not match the shape.
std::vector<std::byte> to_safetensors(std::span<const TensorView> tensors,
                                      const std::map<std::string, std::string>& metadata = {});

// A parsed file. Movable, not copyable, since its views refer to its own memory.
class Safetensors {
 public:
  // Checks all rules of the format. Throws std::runtime_error "safetensors: WHAT".
  explicit Safetensors(std::vector<std::byte> bytes);
  Safetensors(Safetensors&&) = default;
  Safetensors& operator=(Safetensors&&) = default;

  // In the order of their data. Data of files of other writers may be unaligned.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // Throws std::out_of_range if there is no tensor of that name.
  const TensorView& find(std::string_view name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<TensorView> tensors_;  // into bytes_
  std::map<std::string, std::string> metadata_;
};

}  // namespace plr::run

#include "plr/run/safetensors.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "plr/base/fields.h"
#include "plr/run/parse_json.h"

namespace plr::run {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
// The limit of the reference implementation.
constexpr std::uint64_t kMaxHeaderSize = 100'000'000;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("safetensors: " + what);
}

// Bytes of a tensor; nothing for a negative extent or an overflow.
std::optional<std::uint64_t> num_bytes(DType dtype, const std::vector<std::int64_t>& shape) {
  std::uint64_t size = size_of(dtype);
  for (const std::int64_t extent : shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (extent < 0) return {};
    if (factor > 0 && size > std::numeric_limits<std::uint64_t>::max() / factor) return {};
    size *= factor;
  }
  return size;
}

// ---- writing ------------------------------------------------------------------------------------

void check_tensors(std::span<const TensorView> tensors) {
  std::set<std::string_view> names{kMetadata};
  for (const TensorView& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument("safetensors: the name '" + tensor.name + "' occurs twice");
    }
    if (num_bytes(tensor.dtype, tensor.shape) != tensor.data.size()) {
      throw std::invalid_argument("safetensors: tensor '" + tensor.name + "' has " +
                                  std::to_string(tensor.data.size()) +
                                  " bytes, which does not match its shape");
    }
  }
}

std::string header_of(std::span<const TensorView* const> tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::uint64_t begin = 0;
  for (const TensorView* tensor : tensors) {
    const std::uint64_t end = begin + tensor->data.size();
    header[tensor->name] = {{"dtype", to_text(tensor->dtype)},
                            {"shape", tensor->shape},
                            {"data_offsets", {begin, end}}};
    begin = end;
  }
  // Padded with spaces, so that the data begin at a multiple of 8.
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// ---- reading ------------------------------------------------------------------------------------

std::string_view header_text(std::span<const std::byte> bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) fail("the file is too short for a header");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size > kMaxHeaderSize || size > bytes.size() - sizeof size) {
    fail("the header would have " + std::to_string(size) +
         " bytes; the file is truncated or of another format");
  }
  return {reinterpret_cast<const char*>(bytes.data()) + sizeof size, size};
}

nlohmann::json parse_header(std::string_view text) {
  using Json = nlohmann::json;
  // Keys so far of each open object.
  std::vector<std::set<std::string>> keys;
  const auto check_structure = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kMaxJsonDepth) fail("the header is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      fail("the header has " + value.dump() + " twice");
    }
    return true;
  };
  if (!text.starts_with('{')) fail("the header does not begin with '{'");
  try {
    return Json::parse(text, check_structure);
  } catch (const Json::parse_error& error) {
    fail("the header is not JSON at its byte " + std::to_string(error.byte));
  } catch (const Json::out_of_range&) {
    fail("the header has a number that is too large");
  }
}

std::vector<std::uint64_t> unsigned_numbers(const std::string& name, const nlohmann::json& entry,
                                            const char* key) {
  const auto found = entry.find(key);
  const auto is_unsigned = [](const nlohmann::json& value) { return value.is_number_unsigned(); };
  if (found == entry.end() || !found->is_array() ||
      !std::all_of(found->begin(), found->end(), is_unsigned)) {
    fail("tensor '" + name + "' has no " + key + " of whole numbers");
  }
  return found->get<std::vector<std::uint64_t>>();
}

DType dtype_of(const std::string& name, const nlohmann::json& entry) {
  const nlohmann::json dtype = entry.value("dtype", nlohmann::json());
  constexpr auto kNames = enum_names(DType{});
  const auto known =
      std::find(kNames.begin(), kNames.end(), dtype.is_string() ? dtype.get<std::string>() : "");
  if (known == kNames.end()) fail("tensor '" + name + "' has the unknown dtype " + dtype.dump());
  return static_cast<DType>(known - kNames.begin());
}

TensorView tensor_of(const std::string& name, const nlohmann::json& entry,
                     std::span<const std::byte> data) {
  if (!entry.is_object()) fail("tensor '" + name + "' is not described by an object");
  TensorView tensor{.name = name, .dtype = dtype_of(name, entry), .shape = {}, .data = {}};
  for (const std::uint64_t extent : unsigned_numbers(name, entry, "shape")) {
    tensor.shape.push_back(
        static_cast<std::int64_t>(extent));  // too large: negative, refused by num_bytes
  }
  const std::vector<std::uint64_t> offsets = unsigned_numbers(name, entry, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
    fail("tensor '" + name + "' exceeds the data; the file may be truncated");
  }
  tensor.data = data.subspan(offsets[0], offsets[1] - offsets[0]);
  if (num_bytes(tensor.dtype, tensor.shape) != tensor.data.size()) {
    fail("tensor '" + name + "' has " + std::to_string(tensor.data.size()) +
         " bytes, which does not match its shape");
  }
  return tensor;
}

std::map<std::string, std::string> metadata_of(const nlohmann::json& entry) {
  std::map<std::string, std::string> metadata;
  if (!entry.is_object()) fail("its metadata are not an object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) fail("metadata '" + key + "' is not a string");
    metadata[key] = value;
  }
  return metadata;
}

// Sorts by position; every byte must belong to exactly one tensor.
void check_cover(std::span<const std::byte> data, std::vector<TensorView>& tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    return std::pair(a.data.data(), a.data.size()) < std::pair(b.data.data(), b.data.size());
  });
  const std::byte* end = data.data();
  for (const TensorView& tensor : tensors) {
    if (tensor.data.data() != end) fail("a gap or an overlap before tensor '" + tensor.name + "'");
    end += tensor.data.size();
  }
  if (end != data.data() + data.size()) fail("bytes after the last tensor");
}

}  // namespace

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
    case DType::kI8:
      return 1;
    case DType::kU16:
    case DType::kI16:
    case DType::kF16:
    case DType::kBF16:
      return 2;
    case DType::kU32:
    case DType::kI32:
    case DType::kF32:
      return 4;
    case DType::kU64:
    case DType::kI64:
    case DType::kF64:
      return 8;
  }
  assert(false);
  return 0;
}

std::vector<std::byte> to_safetensors(std::span<const TensorView> tensors,
                                      const std::map<std::string, std::string>& metadata) {
  check_tensors(tensors);
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return size_of(a->dtype) > size_of(b->dtype);
  });

  const std::string header = header_of(order, metadata);
  const std::uint64_t header_size = header.size();
  std::vector<std::byte> bytes;
  const auto append = [&bytes](std::span<const std::byte> part) {
    const std::size_t old_size = bytes.size();
    bytes.resize(old_size + part.size());
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(old_size));
  };
  append(std::as_bytes(std::span(&header_size, 1)));
  append(std::as_bytes(std::span(header)));
  for (const TensorView* tensor : order) append(tensor->data);
  return bytes;
}

Safetensors::Safetensors(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  const std::string_view text = header_text(bytes_);
  const auto data = std::span<const std::byte>(bytes_).subspan(sizeof(std::uint64_t) + text.size());
  const nlohmann::json header = parse_header(text);
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      metadata_ = metadata_of(entry);
    } else {
      tensors_.push_back(tensor_of(name, entry, data));
    }
  }
  check_cover(data, tensors_);
}

const TensorView& Safetensors::find(std::string_view name) const {
  const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                  [&](const TensorView& tensor) { return tensor.name == name; });
  if (found == tensors_.end()) {
    throw std::out_of_range("safetensors: there is no tensor '" + std::string(name) + "'");
  }
  return *found;
}

}  // namespace plr::run

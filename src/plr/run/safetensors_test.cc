// tests/run/safetensors_test.py exchanges such files with the Python package safetensors.
#include "plr/run/safetensors.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/error_message.h"

namespace plr::run {
namespace {

constexpr std::array<float, 6> kWeights{1, 2, 3, 4, 5, 6};
constexpr std::array<std::uint8_t, 3> kPixels{7, 8, 9};
constexpr std::array<std::int64_t, 1> kStep{-12};

std::vector<TensorView> some_tensors() {
  return {{"pixels", DType::kU8, {3}, std::as_bytes(std::span(kPixels))},
          {"weights", DType::kF32, {2, 3}, std::as_bytes(std::span(kWeights))},
          {"nothing", DType::kF64, {0, 4}, {}},
          {"step", DType::kI64, {}, std::as_bytes(std::span(kStep))}};
}

// A file with this header, whose stored length may be wrong.
std::vector<std::byte> file_of(std::string_view header, std::string_view data,
                               std::uint64_t excess = 0) {
  const std::uint64_t size = header.size() + excess;
  std::vector<std::byte> bytes;
  for (const auto part : {std::as_bytes(std::span(&size, 1)), std::as_bytes(std::span(header)),
                          std::as_bytes(std::span(data))}) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

std::string error_of(std::string_view header, std::string_view data, std::uint64_t excess = 0) {
  return runtime_error_of([&] { Safetensors(file_of(header, data, excess)); });
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Safetensors, RoundTrip) {
  const std::map<std::string, std::string> metadata{{"step", "12"}, {"by", "\"plr\"\n"}};
  const Safetensors file(to_safetensors(some_tensors(), metadata));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.tensors().size(), 4U);
  for (const TensorView& tensor : some_tensors()) {
    const TensorView& found = file.find(tensor.name);
    EXPECT_EQ(found.dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(found.shape, tensor.shape) << tensor.name;
    EXPECT_EQ(text_of(found.data), text_of(tensor.data)) << tensor.name;
  }
  EXPECT_THROW(file.find("weight"), std::out_of_range);
}

TEST(Safetensors, EmptyFileRoundTrips) {
  const Safetensors file(to_safetensors({}));
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_TRUE(file.metadata().empty());
}

TEST(Safetensors, AlignEveryTensorToItsElementSize) {
  const std::vector<std::byte> bytes = to_safetensors(some_tensors());
  const std::byte* begin = bytes.data();
  const Safetensors file{std::vector<std::byte>(bytes)};
  std::size_t offset = bytes.size();
  for (const TensorView& tensor : file.tensors()) offset -= tensor.data.size();
  for (const TensorView& tensor : file.tensors()) {
    EXPECT_EQ(offset % size_of(tensor.dtype), 0U) << tensor.name;
    EXPECT_EQ(text_of({begin + offset, tensor.data.size()}), text_of(tensor.data));
    offset += tensor.data.size();
  }
}

TEST(Safetensors, KeepViewsValidWhenMoved) {
  Safetensors original(to_safetensors(some_tensors()));
  const Safetensors moved = std::move(original);
  EXPECT_EQ(text_of(moved.find("pixels").data), "\7\10\11");
}

TEST(Safetensors, AreWrittenInTheDocumentedFormat) {
  const std::vector<TensorView> tensors = some_tensors();
  const std::vector<std::byte> bytes = to_safetensors(std::span(tensors).first(1));
  const std::string header =
      R"({"pixels":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";  // 58 bytes, then 6 spaces
  EXPECT_EQ(text_of(bytes), std::string("\x40\0\0\0\0\0\0\0", 8) + header + "      \7\10\11");
}

TEST(Safetensors, RefuseInconsistentTensors) {
  std::vector<TensorView> tensors = some_tensors();
  tensors[0].shape = {4};
  EXPECT_THROW(to_safetensors(tensors), std::invalid_argument);
  tensors[0].shape = {-3, 0};
  tensors[0].data = {};
  EXPECT_THROW(to_safetensors(tensors), std::invalid_argument);
  tensors = some_tensors();
  tensors[0].name = "step";
  EXPECT_THROW(to_safetensors(tensors), std::invalid_argument);
  tensors[0].name = "__metadata__";
  EXPECT_THROW(to_safetensors(tensors), std::invalid_argument);
}

TEST(Safetensors, RefuseTruncatedFiles) {
  const std::vector<std::byte> bytes = to_safetensors(some_tensors(), {{"a", "b"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(Safetensors({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                 std::runtime_error)
        << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(runtime_error_of([&] { Safetensors{longer}; }),
            "safetensors: bytes after the last tensor");
}

// A changed header may be valid, for example with another name. Otherwise it is an error; the
// tensors always cover the data.
TEST(Safetensors, RefuseChangedBytesOrStayConsistent) {
  const std::vector<std::byte> bytes = to_safetensors(some_tensors(), {{"a", "b"}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= static_cast<std::byte>(flip);
      try {
        const Safetensors file(changed);
        std::size_t size = 0;
        for (const TensorView& tensor : file.tensors()) size += tensor.data.size();
        EXPECT_EQ(size, 8 + 24 + 3U);
      } catch (const std::runtime_error&) {
      }
    }
  }
}

TEST(Safetensors, NameTheErrorInTheHeader) {
  EXPECT_EQ(
      error_of("{}", "", 1),
      "safetensors: the header would have 3 bytes; the file is truncated or of another format");
  EXPECT_EQ(error_of("", ""), "safetensors: the header does not begin with '{'");
  EXPECT_EQ(error_of(" {}", ""), "safetensors: the header does not begin with '{'");
  EXPECT_EQ(error_of("{]", ""), "safetensors: the header is not JSON at its byte 2");
  EXPECT_EQ(error_of("{} x", ""), "safetensors: the header is not JSON at its byte 4");
  EXPECT_EQ(error_of(R"({"a":1})", ""), "safetensors: tensor 'a' is not described by an object");
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":1}})", ""),
            "safetensors: metadata 'a' is not a string");
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""),
            "safetensors: the header has \"a\" twice");
}

// The header of one tensor "a" of bytes.
std::string header_of(const std::string& dtype, const std::string& shape,
                      const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

TEST(Safetensors, NameTheErrorInATensor) {
  EXPECT_EQ(error_of(header_of("\"U9\"", "[2]", "[0,2]"), "xx"),
            "safetensors: tensor 'a' has the unknown dtype \"U9\"");
  EXPECT_EQ(error_of(header_of("null", "[2]", "[0,2]"), "xx"),
            "safetensors: tensor 'a' has the unknown dtype null");
  EXPECT_EQ(error_of(header_of("\"U8\"", "[-2]", "[0,2]"), "xx"),
            "safetensors: tensor 'a' has no shape of whole numbers");
  EXPECT_EQ(error_of(header_of("\"U8\"", "[2.0]", "[0,2]"), "xx"),
            "safetensors: tensor 'a' has no shape of whole numbers");
  EXPECT_EQ(error_of(header_of("\"U8\"", "2", "[0,2]"), "xx"),
            "safetensors: tensor 'a' has no shape of whole numbers");
  EXPECT_EQ(error_of(header_of("\"U8\"", "[2]", "[0,3]"), "xx"),
            "safetensors: tensor 'a' exceeds the data; the file may be truncated");
  EXPECT_EQ(error_of(header_of("\"U8\"", "[2]", "[2,0]"), "xx"),
            "safetensors: tensor 'a' exceeds the data; the file may be truncated");
  EXPECT_EQ(error_of(header_of("\"U8\"", "[2]", "[0,2,2]"), "xx"),
            "safetensors: tensor 'a' exceeds the data; the file may be truncated");
  const std::string wrong_size =
      "safetensors: tensor 'a' has 2 bytes, which does not match its shape";
  EXPECT_EQ(error_of(header_of("\"U8\"", "[3]", "[0,2]"), "xx"), wrong_size);
  // 2^63 does not fit into an extent; 3 * 6148914691236517206 is 2^64 + 2.
  EXPECT_EQ(error_of(header_of("\"U8\"", "[9223372036854775808]", "[0,2]"), "xx"), wrong_size);
  EXPECT_EQ(error_of(header_of("\"U8\"", "[3,6148914691236517206]", "[0,2]"), "xx"), wrong_size);
}

TEST(Safetensors, RefuseGapsAndOverlaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}";
  };
  EXPECT_NO_THROW(Safetensors(file_of(two("[2,4]", "[0,2]"), "xxxx")));
  const std::string gap = "safetensors: a gap or an overlap before tensor ";
  EXPECT_EQ(error_of(two("[1,3]", "[3,5]"), "xxxxx"), gap + "'a'");
  EXPECT_EQ(error_of(two("[0,2]", "[3,5]"), "xxxxx"), gap + "'b'");
  EXPECT_EQ(error_of(two("[0,2]", "[1,3]"), "xxx"), gap + "'b'");
  EXPECT_EQ(error_of(two("[0,2]", "[0,2]"), "xx"), gap + "'b'");
  EXPECT_EQ(error_of(two("[0,2]", "[2,4]"), "xxxxx"), "safetensors: bytes after the last tensor");
}

TEST(Safetensors, RefusesANumberBeyondTheRangeOfADouble) {
  EXPECT_EQ(error_of(R"({"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,4]}})", "xxxx"),
            "safetensors: the header has a number that is too large");
}

TEST(Safetensors, RefusesAHeaderThatIsNestedDeeply) {
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(error_of("{\"a\":{\"dtype\":" + nested + "}}", ""),
            "safetensors: the header is nested too deeply");
}

}  // namespace
}  // namespace plr::run

// Serialization: numbers as little-endian bytes, sealed with a name, a version and a checksum.
//
//   ByteWriter writer;
//   writer.number(std::uint64_t{7});
//   std::vector<std::byte> bytes = writer.seal("uniform", 1);
//
//   ByteReader reader(bytes, "uniform", 1);
//   const auto seven = reader.number<std::uint64_t>();
//   reader.expect_end();
//
// A reader checks name, version, checksum and the length of every read, and throws
// std::runtime_error with the name and the cause, so that damaged bytes are never partly used.
// Both classes are copyable. Not thread-safe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plr/base/random.h"

namespace plr {

static_assert(std::endian::native == std::endian::little, "states are stored little-endian");

template <class T>
concept Storable = std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>;

// FNV-1a with 64 bits. Each step is a bijection of the hash: one changed byte changes the result.
std::uint64_t checksum(std::span<const std::byte> bytes);

// Two hexadecimal digits per byte. from_hex() returns nothing for any other text.
std::string to_hex(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

class ByteWriter {
 public:
  template <Storable T>
  void number(T value) {
    append(&value, sizeof value);
  }
  template <Storable T>
  void numbers(std::span<const T> values) {
    number<std::uint64_t>(values.size());
    append(values.data(), values.size_bytes());
  }
  void text(std::string_view text) { numbers(std::span<const char>(text)); }
  void random(const Random& stream);

  // The written bytes with name, version and checksum. The writer is empty afterwards.
  std::vector<std::byte> seal(std::string_view name, std::uint32_t version);

 private:
  void append(const void* from, std::size_t count);

  std::vector<std::byte> bytes_;
};

// Limit for the bytes of a state inside another state; far above the size of any.
inline constexpr std::size_t kMaxNestedState = 1 << 24;

class ByteReader {
 public:
  // REQUIRES: `sealed` outlives the reader.
  ByteReader(std::span<const std::byte> sealed, std::string_view name, std::uint32_t version);

  template <Storable T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // Reads a count and then this many numbers. Throws if there are more than `limit`, so that a
  // wrong count cannot allocate all memory.
  template <Storable T>
  std::vector<T> numbers(std::size_t limit) {
    const auto count = number<std::uint64_t>();
    if (count > limit)
      fail("holds " + std::to_string(count) + " values where at most " + std::to_string(limit) +
           " are possible");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
    return values;
  }
  std::string text(std::size_t limit = 1 << 20);
  Random random();

  // Throws unless all bytes have been read.
  void expect_end() const;
  // Throws std::runtime_error "NAME state: WHAT".
  [[noreturn]] void fail(const std::string& what) const;
  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }

 private:
  std::span<const std::byte> take(std::size_t count);

  std::string name_;
  std::span<const std::byte> rest_;
};

}  // namespace plr

#include "plr/base/bytes.h"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace plr {
namespace {

constexpr std::uint32_t kMagic = 0x53524c50;  // "PLRS"

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  return hash;
}

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    std::uint8_t value = 0;
    const char* end = text.data() + i + 2;
    if (std::from_chars(text.data() + i, end, value, 16).ptr != end) return std::nullopt;
    bytes.push_back(std::byte{value});
  }
  return bytes;
}

void ByteWriter::append(const void* from, std::size_t count) {
  if (count == 0) return;
  const std::size_t old_size = bytes_.size();
  bytes_.resize(old_size + count);
  std::memcpy(bytes_.data() + old_size, from, count);
}

void ByteWriter::random(const Random& stream) {
  const Pcg64::State& state = stream.state();
  for (const uint128 word : {state.state, state.increment}) {
    number(static_cast<std::uint64_t>(word));
    number(static_cast<std::uint64_t>(word >> 64));
  }
}

std::vector<std::byte> ByteWriter::seal(std::string_view name, std::uint32_t version) {
  const std::vector<std::byte> payload = std::exchange(bytes_, {});
  number(kMagic);
  number(version);
  text(name);
  numbers(std::span<const std::byte>(payload));
  number(checksum(bytes_));
  return std::exchange(bytes_, {});
}

ByteReader::ByteReader(std::span<const std::byte> sealed, std::string_view name,
                       std::uint32_t version)
    : name_(name), rest_(sealed) {
  require(sealed.size() >= sizeof(std::uint64_t), "truncated");
  rest_ = sealed.first(sealed.size() - sizeof(std::uint64_t));
  std::uint64_t expected = 0;
  std::memcpy(&expected, sealed.data() + rest_.size(), sizeof expected);
  require(number<std::uint32_t>() == kMagic, "these bytes are something else");
  const auto found = number<std::uint32_t>();
  if (found != version) {
    fail("written in version " + std::to_string(found) + ", but this program reads version " +
         std::to_string(version));
  }
  require(checksum(sealed.first(sealed.size() - sizeof expected)) == expected,
          "damaged or truncated (the checksum differs)");
  const std::string kind = text();
  if (kind != name) fail("these bytes are of kind '" + kind + "'");
  require(number<std::uint64_t>() == rest_.size(), "truncated");
}

std::string ByteReader::text(std::size_t limit) {
  const std::vector<char> chars = numbers<char>(limit);
  return {chars.begin(), chars.end()};
}

Random ByteReader::random() {
  const auto word = [this] {
    const auto low = number<std::uint64_t>();
    return static_cast<uint128>(number<std::uint64_t>()) << 64 | low;
  };
  Pcg64::State state;
  state.state = word();
  state.increment = word();
  require((state.increment & 1) == 1, "a random stream's increment must be odd");
  return Random(Pcg64(state));
}

void ByteReader::expect_end() const { require(rest_.empty(), "holds more than was expected"); }

void ByteReader::fail(const std::string& what) const {
  throw std::runtime_error(name_ + " state: " + what);
}

std::span<const std::byte> ByteReader::take(std::size_t count) {
  require(count <= rest_.size(), "truncated");
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

}  // namespace plr

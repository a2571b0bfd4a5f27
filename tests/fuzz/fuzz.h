// Shared by the fuzz targets: an input as text or bytes, and a directory in memory for files.
//
// A target is a function LLVMFuzzerTestOneInput. It may throw nothing: bad input is refused by the
// exceptions that the readers document, which refused() catches; any other is a defect.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/base/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace plr::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}
inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Calls read() and returns whether it refused its input.
template <class Read>
bool refused(Read read) {
  try {
    read();
    return false;
  } catch (const std::runtime_error&) {
    return true;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

// A copy of a sealed state (base/bytes.h) with the right checksum at its end, so that the content
// behind the checksum is reached.
inline std::vector<std::byte> resealed(std::span<const std::byte> state) {
  std::vector<std::byte> bytes(state.begin(), state.end());
  if (bytes.size() < sizeof(std::uint64_t)) return bytes;
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  const std::uint64_t sum = checksum(std::span(bytes).first(end));
  std::memcpy(bytes.data() + end, &sum, sizeof sum);
  return bytes;
}

// A directory of this process, in memory if possible, removed at its end.
class Scratch {
 public:
  Scratch() : path_(base() / ("plr_fuzz_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path base() {
    return std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                     : std::filesystem::temp_directory_path();
  }
  std::filesystem::path path_;
};

inline void write_unsynced(const std::filesystem::path& path, std::string_view text) {
  write_text(path, text, Durability::kUnsynced);
}

}  // namespace plr::fuzz

// A file descriptor that closes itself, with errors that name the path.
//
// A failing operation throws std::runtime_error "cannot write PATH: No space left on device".
// Movable, not copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace plr {

class OpenFile {
 public:
  // Flags as of open(2); `purpose` ("read", "write") is the verb of the error message.
  OpenFile(const std::filesystem::path& path, int flags, const char* purpose);
  // Opens `path`; error messages and path() name `shown` instead.
  OpenFile(const std::filesystem::path& path, int flags, const char* purpose,
           std::filesystem::path shown);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const;

  // Reads up to `bytes.size()` bytes and returns how many; 0 at the end.
  std::size_t read(std::span<std::byte> bytes);
  // Writes all of `bytes`, or throws.
  void write(std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  // Returns when all written bytes are on the disk.
  void sync();

  // Holds an exclusive lock as long as the file is open. Throws std::runtime_error if another
  // process holds it.
  void lock();

  // Throws std::runtime_error "cannot PURPOSE PATH: CAUSE", with the cause from errno.
  [[noreturn]] void fail(const char* purpose) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace plr

// A file descriptor that closes itself, with errors that name the path.
//
// A failing operation throws std::runtime_error "cannot write PATH: No space left on device".
// Movable, not copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace plr {

// Whether a file system without locks is an error. Two writers of one file that is not locked
// overwrite each other.
enum class Locking { kRequired, kIfSupported };

class OpenFile {
 public:
  // Flags as of open(2); `purpose` ("read", "write") is the verb of the error message.
  OpenFile(const std::filesystem::path& path, int flags, const char* purpose);
  // Opens `path`; error messages and path() name `shown` instead.
  OpenFile(const std::filesystem::path& path, int flags, const char* purpose,
           std::filesystem::path shown);
  // Takes over an open descriptor; -1: none, for fail() only.
  OpenFile(int descriptor, std::filesystem::path shown);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  const std::filesystem::path& path() const { return path_; }
  void set_path(std::filesystem::path shown) { path_ = std::move(shown); }
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const;
  // Throws std::runtime_error "cannot PURPOSE PATH: it is not a regular file" for a directory, a
  // device or a pipe.
  void expect_regular(const char* purpose) const;
  // True if `path()` still names this file: it was neither removed nor replaced.
  bool is_in_place() const;

  // Reads up to `bytes.size()` bytes and returns how many; 0 at the end.
  std::size_t read(std::span<std::byte> bytes);
  // Fills `bytes` from a position in the file, and returns how many there were; fewer at the end.
  std::size_t read_at(std::uint64_t position, std::span<std::byte> bytes) const;
  // Writes all of `bytes`, or throws.
  void write(std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  // Returns when all written bytes are on the disk.
  void sync() const;

  // Holds an exclusive lock as long as the file is open. Throws std::runtime_error if another
  // process holds it, or if the file system has no locks and they are required.
  void lock(Locking locking = Locking::kRequired);

  // Throws std::runtime_error "cannot PURPOSE PATH: CAUSE", with the cause from errno.
  [[noreturn]] void fail(const char* purpose) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace plr

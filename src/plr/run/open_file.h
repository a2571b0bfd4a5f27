// Who closes a file, and says which one it was when something fails?
//
// A file descriptor with its path.  What fails throws std::runtime_error: "cannot write PATH: No
// space left on device".  Can be moved, not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace plr {

class OpenFile {
 public:
  // Flags as of open(2); `purpose` ("read", "write") is for the message if that fails.
  OpenFile(std::filesystem::path path, int flags, const char* purpose);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const;

  // As many bytes as there are, up to the size of `bytes`; 0 at the end.
  std::size_t read(std::span<std::byte> bytes);
  // All of them, or it throws.
  void write(std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  // Returns when what was written is on the disk.
  void sync();

  // Keeps it from being locked by another as long as it is open.  Throws std::runtime_error if
  // another has.
  void lock();

  // Throws std::runtime_error "cannot PURPOSE PATH: " and what errno says.
  [[noreturn]] void fail(const char* purpose) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace plr

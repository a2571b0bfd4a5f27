// How does a log grow by whole records, and get cut back to what a checkpoint knows of?
//
// A file that is only ever appended to.  A record that does not fit on the disk leaves nothing of
// itself behind.  A checkpoint notes size(); after a kill, truncate() to that size removes whatever
// came later, a half-written record included.
//
// One file cannot be open twice, by this program or another: two would write over each other.
//
// What fails throws std::runtime_error with path and cause.  Can be moved, not copied.  Not
// synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "plr/base/open_file.h"

namespace plr::run {

class AppendFile {
 public:
  // Makes the file, in a directory that exists, or goes on at its end.
  explicit AppendFile(const std::filesystem::path& path);

  void append(std::span<const std::byte> record);

  std::uint64_t size() const { return size_; }
  // Throws std::runtime_error if the file is shorter than that, as truncate() does.
  void require(std::uint64_t size) const;
  void truncate(std::uint64_t size);
  // Returns when what was appended is on the disk; without it, it survives the death of the
  // process but not that of the machine.
  void sync() { file_.sync(); }

 private:
  OpenFile file_;
  std::uint64_t size_;
};

}  // namespace plr::run

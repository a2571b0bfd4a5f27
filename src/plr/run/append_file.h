// A log file that grows by whole records and can be truncated to a known size.
//
//   AppendFile file("runs/a/log.jsonl");
//   file.append(record);
//   const std::uint64_t size = file.size();   // stored in a checkpoint
//   file.truncate(size);                      // on resume: removes everything appended later
//
// A record that does not fit on the disk is removed again completely. A file can be open only once,
// in this process or another, since two writers would overwrite each other.
//
// Errors throw std::runtime_error with path and cause. Movable, not copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "plr/base/open_file.h"

namespace plr::run {

class AppendFile {
 public:
  // Creates the file in an existing directory, or opens it to append.
  explicit AppendFile(const std::filesystem::path& path);

  void append(std::span<const std::byte> record);

  std::uint64_t size() const { return size_; }
  // Throws std::runtime_error if the file is shorter than `size`.
  void expect_at_least(std::uint64_t size) const;
  // Throws like expect_at_least().
  void truncate(std::uint64_t size);
  // Returns when all appended records are on disk. Records that were not synced survive the end of
  // the process, but not a crash of the machine.
  void sync() { file_.sync(); }

 private:
  OpenFile file_;
  std::uint64_t size_;
};

}  // namespace plr::run

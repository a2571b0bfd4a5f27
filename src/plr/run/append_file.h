// A log file that grows by whole records and can be truncated to a known size.
//
//   AppendFile file("runs/a/log.jsonl");
//   file.append(record);
//   const LogSeal seal = file.seal();         // stored in a checkpoint
//   file.expect(seal.size(), &seal);          // on resume: the file still begins with these bytes
//   file.truncate(seal.size());               // removes everything appended later
//
// A record that does not fit on the disk is removed again completely. A file can be open only once,
// in this process or another, since two writers would overwrite each other. A symbolic link is
// refused, and a file that is removed or replaced while it is open is noticed by the next append.
//
// Errors throw std::runtime_error with path and cause. Movable, not copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "plr/base/open_file.h"
#include "plr/run/log_seal.h"

namespace plr::run {

class AppendFile {
 public:
  // Creates the file in an existing directory, or opens it to append.
  explicit AppendFile(const std::filesystem::path& path, Locking locking = Locking::kRequired);

  void append(std::span<const std::byte> record);

  const std::filesystem::path& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }
  // Of the whole file. REQUIRES: it was empty when it was opened, or truncate() was called.
  const LogSeal& seal() const { return seal_; }

  // Throws std::runtime_error if the file is shorter than `size` or, if a seal is given, if its
  // first `size` bytes are not the sealed ones; the message names the first line that differs.
  void expect(std::uint64_t size, const LogSeal* seal) const;
  // Whether the first bytes are the sealed ones. REQUIRES: the file is not shorter.
  bool begins_with(const LogSeal& seal) const;
  // Throws like expect().
  void truncate(std::uint64_t size);
  // Returns when all appended records are on disk. Records that were not synced survive the end of
  // the process, but not a crash of the machine.
  void sync() { file_.sync(); }

 private:
  // The seal of the first `size` bytes.
  LogSeal read_seal(std::uint64_t size) const;

  OpenFile file_;
  std::uint64_t size_;
  LogSeal seal_;
};

}  // namespace plr::run

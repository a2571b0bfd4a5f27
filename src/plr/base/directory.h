// An open directory, whose entries are opened, created, renamed and removed by name.
//
// Symbolic links among the entries are never followed: a link where a file or a directory is
// expected is refused, so that a run's folder from another person cannot redirect a write.
//
//   const Directory folder("runs/a", "write");
//   OpenFile log = folder.open("log.jsonl", O_WRONLY | O_CREAT | O_APPEND, "write");
//   folder.rename("levels.csv.tmp", "levels.csv");
//   folder.sync();
//
// REQUIRES: names have no "/". Errors throw std::runtime_error with the path and the cause:
// "cannot write runs/a/log.jsonl: it is a symbolic link, ...". Movable, not copyable. Concurrent
// calls of const functions are safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plr/base/open_file.h"

namespace plr {

class Directory {
 public:
  // Opens an existing directory; links in `path` itself are followed. `purpose` ("read", "write")
  // is the verb of error messages, which name `shown` if it is given.
  Directory(const std::filesystem::path& path, const char* purpose,
            const std::filesystem::path& shown = {});

  const std::filesystem::path& path() const { return directory_.path(); }

  // Opens a file; flags as of open(2). Error messages name `shown` instead of the entry if given.
  OpenFile open(const std::string& name, int flags, const char* purpose,
                const std::filesystem::path& shown = {}) const;
  // Opens an entry that must be a directory; make_directory() creates it if it is missing.
  Directory open_directory(const std::string& name, const char* purpose) const;
  Directory make_directory(const std::string& name) const;

  // Replaces `to` if it exists and is not a directory with entries. `shown` as above, for `to`.
  void rename(const std::string& from, const std::string& to,
              const std::filesystem::path& shown = {}) const;
  // Exchanges two entries atomically. False if one is missing or the file system cannot do it.
  bool exchange(const std::string& a, const std::string& b) const;
  // Removes a file, or a directory with its content, if it exists.
  void remove(const std::string& name) const;

  bool contains(const std::string& name) const;
  // Names of all entries except "." and "..", in no order.
  std::vector<std::string> names() const;
  // Names of the entries that are directories, not links to some.
  std::vector<std::string> directory_names() const;

  // Returns when created, renamed and removed names are on the disk.
  void sync() const { directory_.sync(); }

 private:
  explicit Directory(OpenFile directory) : directory_(std::move(directory)) {}

  bool is_directory(const std::string& name) const;

  OpenFile directory_;
};

}  // namespace plr

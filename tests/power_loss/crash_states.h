// The states that a loss of power may leave on a disk, from the operations of a process.
//
//   const std::vector<Operation> journal = read_journal("journal.txt");     // of recorder.cc
//   Random random = Streams(1).named("states");
//   write_state(crash_state(journal, 17, root_inode, Loss::kSome, random), folder);
//
// The model is what POSIX promises, not what a particular file system does. An operation on a
// file's content is on the disk for certain if the file was synced afterwards; an operation on a
// name, if its directory was. Any of the others may be lost or kept, in any combination, so that
// later ones may survive earlier ones; a write that is kept may be torn. A rename changes both
// names or none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plr/base/random.h"

namespace plr {

struct Operation {
  enum Kind { kCreate, kWrite, kTruncate, kRename, kExchange, kUnlink, kSync };
  Kind kind = kSync;
  // Files and directories are numbered by creation, since the disk uses inodes again. The root is
  // 0.
  std::size_t object = 0;     // the file or directory; for names, what the name `to` refers to
  std::size_t other = 0;      // kExchange: what the name `from` refers to afterwards
  std::size_t directory = 0;  // of names
  bool is_directory = false;  // kCreate
  std::string from, to;       // names; kCreate and kUnlink have `to` only
  std::uint64_t offset = 0;   // kWrite; kTruncate: the size
  std::string bytes;          // kWrite
};

// Throws std::runtime_error if the file is not a journal. `root_inode` is the inode of the root.
std::vector<Operation> read_journal(const std::filesystem::path& file, std::uint64_t root_inode);

// The name under which an object was created, such as "log.jsonl"; "" for the root.
std::string name_of(const std::vector<Operation>& journal, std::size_t object);

// What happens to operations that are not synced.
enum class Loss { kAll, kNone, kNames, kContents, kSome };

struct DiskState {
  std::map<std::size_t, std::map<std::string, std::size_t>> names;  // [directory]
  std::map<std::size_t, std::string> contents;                      // [file]
};

// The state after the first `count` operations. `is_ignored` says which syncs had no effect.
DiskState crash_state(const std::vector<Operation>& journal, std::size_t count, Loss loss,
                      Random& random, const std::function<bool(const Operation&)>& is_ignored = {});

// Writes the state into an empty folder.
void write_state(const DiskState& state, const std::filesystem::path& folder);

}  // namespace plr

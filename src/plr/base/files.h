// Reading files, and writing them atomically.
//
//   write_text("runs/a/config.toml", text);
//
// write_file() and write_text() write PATH.tmp, sync it to the disk and rename it to PATH. At any
// time, even after a kill, PATH holds either its old bytes or all of the new ones. A PATH.tmp that
// a killed process left is overwritten by the next write. The caller may skip the sync: then a
// crash of the machine, but not of the process, can lose the file.
//
// Every function throws std::runtime_error with the path and the cause: "cannot write
// runs/a/config.toml: No space left on device". Thread-safe for different paths.
// REQUIRES: no two threads or processes write the same path at the same time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plr {

std::vector<std::byte> read_file(const std::filesystem::path& path);
std::string read_text(const std::filesystem::path& path);

// Whether a write waits until the file and its name are on the disk.
enum class Durability { kSynced, kUnsynced };

// REQUIRES: the directory exists.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                Durability durability = Durability::kSynced);
void write_text(const std::filesystem::path& path, std::string_view text,
                Durability durability = Durability::kSynced);

// Makes the directory and its missing parents.
void make_directories(const std::filesystem::path& path);

// Renames a file or directory within its directory and syncs the directory.
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

// For a directory that is renamed when it is complete: write_in_place() writes a file without a
// temporary name and syncs it; sync_directory() then syncs the names.
void write_in_place(const std::filesystem::path& path, std::span<const std::byte> bytes);
void sync_directory(const std::filesystem::path& directory);

// Removes a file, or a directory and its content, if it exists.
void remove_path(const std::filesystem::path& path);

// Throws std::runtime_error "cannot write PATH: CAUSE".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& cause);

}  // namespace plr

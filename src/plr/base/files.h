// Reading files, and writing them atomically.
//
//   write_text("runs/a/config.toml", text);
//   write_output(argument_of("--out"), page);
//
// write_file() and write_text() write a new file of a unique name beside PATH, sync it to the disk
// and rename it to PATH. At any time, even after a kill, PATH holds either its old bytes or all of
// the new ones, and concurrent writers of one path do not disturb each other: the last one wins. A
// link at PATH is replaced, not followed. The caller may skip the sync: then a crash of the
// machine, but not of the process, can lose the file.
//
// write_output() is for a path that the user names. What a link refers to is written as above, and
// the link stays; a device, a pipe or /dev/stdout is written to.
//
// Readers accept regular files only, up to a size, so that a pipe or a device in the place of a
// file cannot block the program or exhaust its memory.
//
// Every function throws std::runtime_error with the path and the cause: "cannot write
// runs/a/config.toml: No space left on device". Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plr {

// Of any file that is read as a whole.
inline constexpr std::uint64_t kMaxFileSize = std::uint64_t{1} << 31;
// Of a file that a person writes, such as one of settings.
inline constexpr std::uint64_t kMaxSettingsSize = std::uint64_t{1} << 20;

std::vector<std::byte> read_file(const std::filesystem::path& path,
                                 std::uint64_t max_size = kMaxFileSize);
std::string read_text(const std::filesystem::path& path, std::uint64_t max_size = kMaxFileSize);

// Whether a write waits until the file and its name are on the disk.
enum class Durability { kSynced, kUnsynced };

// REQUIRES: the directory exists.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                Durability durability = Durability::kSynced);
void write_text(const std::filesystem::path& path, std::string_view text,
                Durability durability = Durability::kSynced);
void write_output(const std::filesystem::path& path, std::string_view text,
                  Durability durability = Durability::kSynced);

// Removes temporary files that killed writers of `path` have left.
// REQUIRES: no other thread or process writes `path` at the same time.
void remove_temporary_files(const std::filesystem::path& path);

// Makes the directory and its missing parents, and syncs their names.
void make_directories(const std::filesystem::path& path);

// Throws std::runtime_error "cannot write PATH: CAUSE".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& cause);

}  // namespace plr

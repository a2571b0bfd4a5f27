// How does a file get written so that it is there whole or not at all?
//
// It is written beside its place under the name NAME.tmp, brought to the disk, and then renamed: at
// any instant, whatever is killed, PATH holds either what it held before or all of the new bytes.
// What a killed program leaves beside is overwritten by the next write.
//
//   write_text("runs/a/config.toml", text);
//
// Everything here throws std::runtime_error naming the path and the cause: "cannot write
// runs/a/config.toml: No space left on device".  One file must not be written by two at a time.
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

// The directory must exist.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, std::string_view text);

// Makes the directory and those above it, where they are missing.
void make_directories(const std::filesystem::path& path);

// Gives a file or directory another name in the same directory.
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

// For a directory that gets its own name when it is complete: a file written to its place and
// brought to the disk, and then the names of all of them.
void write_in_place(const std::filesystem::path& path, std::span<const std::byte> bytes);
void sync_directory(const std::filesystem::path& directory);

// Removes a file, or a directory with all that is in it; it need not exist.
void remove_path(const std::filesystem::path& path);

}  // namespace plr

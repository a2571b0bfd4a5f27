// How does a picture's file come to be there whole or not at all?
//
// It is written aside and renamed.  Unlike run/files.h nothing waits for the disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plr {

// Throws std::runtime_error with path and cause; nothing is left beside.
void write_whole(const std::filesystem::path& path, std::string_view bytes);

// Throws the std::runtime_error "cannot write PATH: CAUSE".
[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& cause);

}  // namespace plr

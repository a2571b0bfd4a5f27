// Formatted output that never throws and never ends the program.
//
//   print("{} levels in {}\n", count, path);             // to standard output
//   print(stderr, "training on {}\n", env);
//
// A terminal that was closed or a full disk below a redirected stream only sets the error flag of
// the stream (ferror), which main() checks for standard output at the end. A run continues.
//
// Thread-safe, as fwrite is.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace plr::terminal {

// errno of the last write that failed, for the message; 0 if none did.
inline std::atomic<int> write_error = 0;

inline void write(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) < text.size()) write_error = errno;
}

template <class... Arguments>
void print(std::FILE* file, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(file, fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace plr::terminal

// Quotes a text so that a POSIX shell reads it as one word.
//
//   shell_word("runs/a")         // runs/a
//   shell_word("my runs/it's")   // 'my runs/it'\''s'
//
// Thread-safe.
#pragma once

#include <string>

namespace plr::terminal {

inline std::string shell_word(const std::string& text) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace plr::terminal

// Explanations of single words, for `plr help WORD`: settings, their values, presets, files of a
// run, lines of an experiment file, and codes such as D6.
//
//   const std::optional<std::string> text = explain("temperature");   // several lines
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plr::reference {

// Every explanation of the word, separated by empty lines; nothing if it has none. Flags such as
// --learning-rate are settings.
std::optional<std::string> explain(const std::string& word);

// The words that have an explanation.
std::vector<std::string> known_words();

}  // namespace plr::reference

// The files of a run and the fields of their records, as texts (run/layout.h, run/records.h).
//
// Copyable values; thread-safe.
#pragma once

#include <string>
#include <vector>

namespace plr::reference {

struct FieldText {
  std::string name;  // "test_levels[].solved" for a field of a list's elements
  std::string type;  // "whole number", "number", "text", "true or false", "list of numbers"
  bool is_optional = false;
  std::string meaning;
};

struct RunFileText {
  std::string name;
  std::string meaning;
  std::vector<FieldText> fields;  // empty for files without records
};

std::vector<RunFileText> run_files();

}  // namespace plr::reference

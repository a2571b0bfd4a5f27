// A log of JSON lines: one record per line, with its fields in order, appended as a whole.
//
//   JsonLines log("runs/a/log.jsonl");
//   log.append({{"update", 1}, {"loss", 0.25}});  // {"update":1,"loss":0.25}
//
// Other programs can read the file while it grows. NaN and infinities, which JSON does not have,
// are written as null. size(), truncate(), sync() and errors are those of AppendFile. Movable, not
// copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plr/run/append_file.h"

namespace plr::run {

class JsonLines {
 public:
  // Creates the file in an existing directory, or opens it to append.
  explicit JsonLines(const std::filesystem::path& path) : file_(path) {}

  void append(const nlohmann::ordered_json& record);

  std::uint64_t size() const { return file_.size(); }
  void expect_at_least(std::uint64_t size) const { file_.expect_at_least(size); }
  void truncate(std::uint64_t size) { file_.truncate(size); }
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace plr::run

// How does a run keep a log that any program can read while it grows?
//
// JSON lines: one record per line, in the order of its fields, appended as a whole.
//
//   JsonLines log("runs/a/log.jsonl");
//   log.append({{"update", 1}, {"loss", 0.25}});  // {"update":1,"loss":0.25}
//
// NaN and infinities, which JSON has no words for, become null.  size(), truncate(), sync() and
// errors: append_file.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plr/run/append_file.h"

namespace plr::run {

class JsonLines {
 public:
  // Makes the file, in a directory that exists, or goes on at its end.
  explicit JsonLines(const std::filesystem::path& path) : file_(path) {}

  void append(const nlohmann::ordered_json& record);

  std::uint64_t size() const { return file_.size(); }
  void require(std::uint64_t size) const { file_.require(size); }
  void truncate(std::uint64_t size) { file_.truncate(size); }
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace plr::run

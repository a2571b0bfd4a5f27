// A log of JSON lines: one record per line, with its fields in order, appended as a whole.
//
//   JsonLines log("runs/a/log.jsonl");
//   log.append({{"update", 1}, {"loss", 0.25}});  // {"update":1,"loss":0.25}
//
// Other programs can read the file while it grows. NaN and infinities, which JSON does not have,
// are written as null. size(), seal(), expect(), truncate(), sync() and errors are those of
// AppendFile. Movable, not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plr/run/append_file.h"

namespace plr::run {

class JsonLines {
 public:
  // Creates the file in an existing directory, or opens it to append.
  explicit JsonLines(const std::filesystem::path& path, Locking locking = Locking::kRequired)
      : file_(path, locking) {}

  void append(const nlohmann::ordered_json& record);

  std::uint64_t size() const { return file_.size(); }
  const LogSeal& seal() const { return file_.seal(); }
  void expect(std::uint64_t size, const LogSeal* seal) const { file_.expect(size, seal); }
  void truncate(std::uint64_t size) { file_.truncate(size); }
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace plr::run

// How does TensorBoard get to see a run?
//
// Through an event file: a sequence of records, each an Event message of TensorFlow's protocol
// buffers with one scalar.  TensorBoard finds it if its name contains "tfevents".
//
//   EventFile events("runs/a/events.out.tfevents.plr", seconds_since_1970);
//   events.scalar("train/return", step, seconds_since_1970, 0.5f);
//
// size(), truncate(), sync() and errors: append_file.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "plr/run/append_file.h"

namespace plr {

class EventFile {
 public:
  // Makes the file with its first event, which says that it is one, or goes on at its end.  Throws
  // std::runtime_error if it is something else than an event file.
  EventFile(const std::filesystem::path& path, double wall_time);

  // Wall time in seconds since 1970.
  void scalar(std::string_view tag, std::int64_t step, double wall_time, float value);

  std::uint64_t size() const { return file_.size(); }
  // To a size that size() has returned.
  void truncate(std::uint64_t size) { file_.truncate(size); }
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace plr

// A TensorBoard event file: a sequence of records, each an Event message of TensorFlow's protocol
// buffers with the scalars or a picture of one step, or the hyperparameters of the run. TensorBoard
// finds files whose name contains "tfevents".
//
//   EventFile events("runs/a/events.out.tfevents.plr", seconds_since_1970);
//   events.hyperparameters(seconds_since_1970, {{"seed", 1.0}, {"env", "maze/random-60"}});
//   events.scalars(step, seconds_since_1970, {{"train/return", 0.5f}, {"train/length", 12.0f}});
//
// size(), sync() and errors are those of AppendFile. Movable, not copyable. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "plr/run/append_file.h"

namespace plr::run {

struct Scalar {
  std::string tag;
  float value;
};

// A picture of a tag at a step.
struct Picture {
  std::string tag;
  int width = 0;  // pixels
  int height = 0;
  std::string png;  // the bytes of a PNG file
};

struct Hyperparameter {
  std::string name;
  std::variant<double, bool, std::string> value;
};

// The hyperparameter of a setting: a number or a truth value if the text is one.
Hyperparameter to_hyperparameter(const std::string& name, const std::string& text);

class EventFile {
 public:
  // Creates the file with its first event, which holds the format's version, or opens it to append.
  // Throws std::runtime_error if the file is not an event file.
  EventFile(const std::filesystem::path& path, double wall_time,
            Locking locking = Locking::kRequired);

  // Appends all scalars as one event. Wall time in seconds since 1970.
  void scalars(std::int64_t step, double wall_time, const std::vector<Scalar>& scalars);

  void picture(std::int64_t step, double wall_time, const Picture& picture);

  // For TensorBoard's HPARAMS tab. The first call begins the session of the run, finish() ends it.
  void hyperparameters(double wall_time, const std::vector<Hyperparameter>& list);
  void finish(double wall_time);

  // Whether there is an event after the first one.
  bool has_events() const { return file_.size() > size_of_first_; }

  std::uint64_t size() const { return file_.size(); }
  const LogSeal& seal() const { return file_.seal(); }
  // Throws std::runtime_error if the file begins with other bytes; one that is shorter is accepted.
  void expect(const LogSeal& seal) const;
  // Removes all events but the first.
  void clear() { file_.truncate(size_of_first_); }
  // To a size that size() has returned; to the first event alone if the file is shorter.
  void truncate(std::uint64_t size) {
    file_.truncate(size <= file_.size() ? size : size_of_first_);
  }
  void sync() { file_.sync(); }

 private:
  void append(const std::string& event);

  AppendFile file_;
  std::uint64_t size_of_first_ = 0;
};

}  // namespace plr::run

// The log files of a run: log.jsonl, eval.jsonl, levels.jsonl and TensorBoard's events
// (run/layout.h).
//
//   RunFiles files(folder);
//   files.append(LogRecord{...});
//   const LogSizes sizes = files.sync();              // for a checkpoint, with files.seals()
//   files.truncate_to(sizes, checkpoint.log_seals);        // on resume
//
// The files grow by whole records. A checkpoint stores their sizes and seals (run/log_seal.h), and
// a resumed run checks them and truncates the files to those sizes, so that no record occurs twice
// and none was changed. While the object exists, no other process can open the files. Movable, not
// copyable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "plr/run/checkpoint_facts.h"
#include "plr/run/json_lines.h"
#include "plr/run/records.h"
#include "plr/run/settings_file.h"
#include "plr/run/tensorboard.h"

namespace plr::run {

class RunFiles {
 public:
  // Creates the files in an existing folder, or opens them to append.
  explicit RunFiles(const std::filesystem::path& folder, Locking locking = Locking::kRequired);

  void append(const LogRecord& record);
  void append(const EvalRecord& record);
  void append(const LevelsRecord& record);
  // For TensorBoard only, like the next three.
  void append(std::int64_t steps, const Picture& picture);

  // Removes the events that a killed process has left, and writes the settings of the run.
  void begin(const std::vector<Setting>& settings);
  // Writes the settings of the run, unless the events have them already.
  void describe(const std::vector<Setting>& settings);
  // The run has made its final evaluation.
  void finish();

  // Returns the sizes once everything appended is on disk.
  LogSizes sync();

  // The seals of all files as they are now.
  std::vector<std::byte> seals() const;

  // Throws std::runtime_error, with no file changed, if a log is shorter than its size or was
  // changed since it was sealed. Events that are shorter are truncated to none. Without seals, as
  // in checkpoints of earlier versions, only the sizes are checked.
  void truncate_to(const LogSizes& sizes, std::span<const std::byte> seals);

  // True if a log in this folder is not empty.
  static bool has_records(const std::filesystem::path& folder);

 private:
  JsonLines log_;
  JsonLines evaluations_;
  JsonLines levels_;
  EventFile events_;
};

}  // namespace plr::run

// The log files of a run: log.jsonl, eval.jsonl, levels.jsonl and TensorBoard's events
// (run/layout.h).
//
//   RunFiles files(folder);
//   files.append(run::LogRecord{...});
//   const run::LogSizes sizes = files.sync();      // for a checkpoint
//   files.truncate_to(sizes);                      // on resume
//
// The files grow by whole records. A checkpoint stores their sizes, and a resumed run truncates
// them to those sizes, so no record occurs twice. While the object exists, no other process can
// open the files. Movable, not copyable. Not thread-safe.
#pragma once

#include <filesystem>

#include "plr/run/checkpoint_facts.h"
#include "plr/run/json_lines.h"
#include "plr/run/records.h"
#include "plr/run/tensorboard.h"

namespace plr::train {

class RunFiles {
 public:
  // Creates the files in an existing folder, or opens them to append.
  explicit RunFiles(const std::filesystem::path& folder);

  void append(const run::LogRecord& record);
  void append(const run::EvalRecord& record);
  void append(const run::LevelsRecord& record);

  // Returns the sizes once everything appended is on disk.
  run::LogSizes sync();

  // Throws std::runtime_error, with no file changed, if a log is shorter than its size. Events that
  // are shorter are truncated to none.
  void truncate_to(const run::LogSizes& sizes);

  // True if a log in this folder is not empty.
  static bool has_records(const std::filesystem::path& folder);

 private:
  run::JsonLines log_;
  run::JsonLines evaluations_;
  run::JsonLines levels_;
  run::EventFile events_;
};

}  // namespace plr::train

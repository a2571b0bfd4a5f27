// What does a run leave behind?
//
//   FOLDER/config.toml      every setting
//          log.jsonl        a record per update
//          eval.jsonl       a record per evaluation
//          levels.jsonl     what the curriculum thinks of the levels, now and then
//          levels.csv       and of each at the last checkpoint, or of 10,000 among more
//          events.out.tfevents.plr   the same numbers for TensorBoard
//          checkpoint/      the last two (run/checkpoint.h)
//
// The logs grow by whole records; a checkpoint notes their sizes, and a resumed run cuts them back
// to those, so that nothing stands in them twice.  Movable.  Not synchronized.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plr/run/json_lines.h"
#include "plr/run/tensorboard.h"

namespace plr::train {

class RunFiles {
 public:
  // Makes or opens the files of a folder that exists.
  explicit RunFiles(const std::filesystem::path& folder);

  // Records are flat, but for lists of levels and of returns.  Numbers of the first two also go to
  // TensorBoard, at record["steps"].
  void log(const nlohmann::ordered_json& record);
  void evaluation(const nlohmann::ordered_json& record);
  void levels(const nlohmann::ordered_json& record);

  // Brings everything to the disk and tells the sizes; cut() takes them back.  Where a log is not
  // as long it throws std::runtime_error, and has cut nothing; TensorBoard's file begins anew.
  nlohmann::json sizes();
  void cut(const nlohmann::json& sizes);

  // A record has been logged in this folder.
  static bool has_records(const std::filesystem::path& folder);

  std::filesystem::path checkpoints() const { return folder_ / "checkpoint"; }

 private:
  void to_tensorboard(const char* group, const nlohmann::ordered_json& record);

  std::filesystem::path folder_;
  run::JsonLines log_;
  run::JsonLines evaluations_;
  run::JsonLines levels_;
  run::EventFile events_;
};

}  // namespace plr::train

// training.csv: the log of every run (run/records.h, LogRecord), thinned for a repository.
//
// A row is the mean over consecutive updates: losses, entropy, deviations, and return and length of
// training episodes. With DrAC, `augmentation` counts the augmentations of these updates, such as
// "crop:7 flip:2"; a record read from such a file (results.h) has the counts as its augmentation.
// Numbers that a run did not record are empty.
//
//   write_text("training.csv", training_csv(found.runs, analysis));
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plr/report/analysis.h"

namespace plr::report {

inline constexpr std::string_view kTrainingFile = "training.csv";
inline constexpr std::size_t kMaxTrainingRows = 200;  // of a run

// Whether a field of LogRecord is a column of numbers.
bool is_training_column(std::string_view name);

// REQUIRES: `analysis` is analyze(runs).
std::string training_csv(std::span<const RunData> runs, const Analysis& analysis);

}  // namespace plr::report

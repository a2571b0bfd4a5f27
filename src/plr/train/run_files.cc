#include "plr/train/run_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>

#include "plr/run/layout.h"
#include "plr/run/record_files.h"

namespace plr::train {
namespace {

namespace layout = run::layout;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& folder)
    : log_(folder / layout::kLog),
      evaluations_(folder / layout::kEvaluations),
      levels_(folder / layout::kLevels),
      events_(folder / layout::kEvents, seconds_since_1970()) {}

bool RunFiles::has_records(const std::filesystem::path& folder) {
  constexpr std::array kLogs = {layout::kLog, layout::kEvaluations, layout::kLevels};
  return std::ranges::any_of(kLogs, [&](std::string_view name) {
    std::error_code error;  // a missing file has no records
    const std::uintmax_t size = std::filesystem::file_size(folder / name, error);
    return !error && size > 0;
  });
}

void RunFiles::append(const run::LogRecord& record) {
  log_.append(run::record_to_json(record));
  events_.scalars(record.steps, seconds_since_1970(), run::record_scalars(record));
}

void RunFiles::append(const run::EvalRecord& record) {
  evaluations_.append(run::record_to_json(record));
  events_.scalars(record.steps, seconds_since_1970(), run::record_scalars(record));
}

void RunFiles::append(const run::LevelsRecord& record) {
  levels_.append(run::record_to_json(record));
}

run::LogSizes RunFiles::sync() {
  log_.sync();
  evaluations_.sync();
  levels_.sync();
  events_.sync();
  return {.log = log_.size(),
          .eval = evaluations_.size(),
          .levels = levels_.size(),
          .events = events_.size()};
}

void RunFiles::truncate_to(const run::LogSizes& sizes) {
  log_.expect_at_least(sizes.log);
  evaluations_.expect_at_least(sizes.eval);
  levels_.expect_at_least(sizes.levels);
  log_.truncate(sizes.log);
  evaluations_.truncate(sizes.eval);
  levels_.truncate(sizes.levels);
  events_.truncate(sizes.events);
}

}  // namespace plr::train

#include "plr/run/run_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>

#include "plr/base/bytes.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"

namespace plr::run {
namespace {

constexpr const char* kSealsName = "log_seals";
constexpr std::uint32_t kSealsVersion = 1;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& folder, Locking locking)
    : log_(folder / layout::kLog, locking),
      evaluations_(folder / layout::kEvaluations, locking),
      levels_(folder / layout::kLevels, locking),
      events_(folder / layout::kEvents, seconds_since_1970(), locking) {}

bool RunFiles::has_records(const std::filesystem::path& folder) {
  constexpr std::array kLogs = {layout::kLog, layout::kEvaluations, layout::kLevels};
  return std::ranges::any_of(kLogs, [&](std::string_view name) {
    std::error_code error;  // a missing file has no records
    const std::uintmax_t size = std::filesystem::file_size(folder / name, error);
    return !error && size > 0;
  });
}

void RunFiles::append(const LogRecord& record) {
  log_.append(record_to_json(record));
  events_.scalars(record.steps, seconds_since_1970(), record_scalars(record));
}

void RunFiles::append(const EvalRecord& record) {
  evaluations_.append(record_to_json(record));
  events_.scalars(record.steps, seconds_since_1970(), record_scalars(record));
}

void RunFiles::append(const LevelsRecord& record) { levels_.append(record_to_json(record)); }

void RunFiles::append(std::int64_t steps, const Picture& picture) {
  events_.picture(steps, seconds_since_1970(), picture);
}

void RunFiles::begin(const std::vector<Setting>& settings) {
  events_.clear();
  describe(settings);
}

void RunFiles::describe(const std::vector<Setting>& settings) {
  if (events_.has_events()) return;
  std::vector<Hyperparameter> list;
  for (const Setting& setting : settings) {
    list.push_back(to_hyperparameter(setting.name, setting.value));
  }
  events_.hyperparameters(seconds_since_1970(), list);
}

void RunFiles::finish() { events_.finish(seconds_since_1970()); }

LogSizes RunFiles::sync() {
  log_.sync();
  evaluations_.sync();
  levels_.sync();
  events_.sync();
  return {.log = log_.size(),
          .eval = evaluations_.size(),
          .levels = levels_.size(),
          .events = events_.size()};
}

std::vector<std::byte> RunFiles::seals() const {
  ByteWriter writer;
  for (const LogSeal* seal :
       {&log_.seal(), &evaluations_.seal(), &levels_.seal(), &events_.seal()}) {
    seal->save(writer);
  }
  return writer.seal(kSealsName, kSealsVersion);
}

void RunFiles::truncate_to(const LogSizes& sizes, std::span<const std::byte> seals) {
  std::array<LogSeal, 4> sealed;
  if (!seals.empty()) {
    ByteReader reader(seals, kSealsName, kSealsVersion);
    for (LogSeal& seal : sealed) seal = LogSeal::load(reader);
    reader.expect_end();
    events_.expect(sealed[3]);
  }
  const auto seal = [&](std::size_t i) { return seals.empty() ? nullptr : &sealed[i]; };
  log_.expect(sizes.log, seal(0));
  evaluations_.expect(sizes.eval, seal(1));
  levels_.expect(sizes.levels, seal(2));
  log_.truncate(sizes.log);
  evaluations_.truncate(sizes.eval);
  levels_.truncate(sizes.levels);
  events_.truncate(sizes.events);
}

}  // namespace plr::run

#include "plr/train/run_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <vector>

namespace plr::train {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& folder)
    : folder_(folder),
      log_(folder / "log.jsonl"),
      evaluations_(folder / "eval.jsonl"),
      levels_(folder / "levels.jsonl"),
      events_(folder / "events.out.tfevents.plr", seconds_since_1970()) {}

bool RunFiles::has_records(const std::filesystem::path& folder) {
  constexpr std::array kLogs = {"log.jsonl", "eval.jsonl", "levels.jsonl"};
  return std::ranges::any_of(kLogs, [&](const char* name) {
    std::error_code error;  // as where there is none
    const std::uintmax_t size = std::filesystem::file_size(folder / name, error);
    return !error && size > 0;
  });
}

void RunFiles::log(const nlohmann::ordered_json& record) {
  log_.append(record);
  to_tensorboard("train/", record);
}

void RunFiles::evaluation(const nlohmann::ordered_json& record) {
  evaluations_.append(record);
  to_tensorboard("eval/", record);
}

void RunFiles::levels(const nlohmann::ordered_json& record) { levels_.append(record); }

void RunFiles::to_tensorboard(const char* group, const nlohmann::ordered_json& record) {
  std::vector<run::Scalar> scalars;
  for (const auto& [name, value] : record.items()) {
    if (!value.is_number() || name == "steps") continue;
    scalars.push_back({group + name, value.get<float>()});
  }
  events_.scalars(record.at("steps").get<std::int64_t>(), seconds_since_1970(), scalars);
}

nlohmann::json RunFiles::sizes() {
  log_.sync();
  evaluations_.sync();
  levels_.sync();
  events_.sync();
  return {{"log", log_.size()},
          {"eval", evaluations_.size()},
          {"levels", levels_.size()},
          {"events", events_.size()}};
}

void RunFiles::cut(const nlohmann::json& sizes) {
  log_.require(sizes.at("log"));
  evaluations_.require(sizes.at("eval"));
  levels_.require(sizes.at("levels"));
  log_.truncate(sizes.at("log"));
  evaluations_.truncate(sizes.at("eval"));
  levels_.truncate(sizes.at("levels"));
  events_.truncate(sizes.at("events"));
}

}  // namespace plr::train

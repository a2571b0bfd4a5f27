#include "plr/experiment/packing.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "plr/base/files.h"
#include "plr/run/parse_json.h"

namespace plr::experiment {
namespace {

constexpr int kRunsPerGpu[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr int kWorkersPerCore = 2;       // of runs that share a GPU
constexpr int kMinWorkers = 4;           // of each of these (docs/performance.md)
constexpr double kWorthChanging = 1.03;  // a smaller difference may be noise

constexpr const char* kFile = "packing.json";
constexpr std::uint64_t kMaxSize = 1 << 16;

int rounded_up(int number, int divisor) { return (number + divisor - 1) / divisor; }

}  // namespace

int workers_of_shared_run(int num_cores, int num_running) {
  const int of_each = rounded_up(kWorkersPerCore * num_cores, num_running);
  return std::min(num_cores, std::max(kMinWorkers, of_each));
}

std::vector<Packing> packings(int num_cores, int num_gpus, int num_runs) {
  std::vector<Packing> all;
  for (const int per_gpu : kRunsPerGpu) {
    const int runs = std::min(per_gpu * num_gpus, num_runs);
    if (runs > num_cores && !all.empty()) break;
    if (all.empty() || all.back().max_running < runs) {
      const int of_each =
          per_gpu == 1 ? rounded_up(num_cores, runs) : workers_of_shared_run(num_cores, runs);
      all.push_back({.max_running = runs, .num_workers = of_each});
    }
  }
  return all;
}

PackingSearch::PackingSearch(std::vector<Packing> candidates, Packing first)
    : candidates_(std::move(candidates)) {
  while (first_ + 1 < candidates_.size() &&
         candidates_[first_ + 1].max_running <= first.max_running) {
    ++first_;
  }
  index_ = first_;
  current_ = best_ = candidates_[first_];
  is_done_ = candidates_.size() == 1;
}

void PackingSearch::record(double steps_per_second) {
  trials_.push_back({current_, steps_per_second});
  const bool is_better = trials_.size() == 1 || steps_per_second > kWorthChanging * best_speed_;
  if (is_better) {
    best_ = current_;
    best_speed_ = steps_per_second;
  }
  if (const std::optional<Packing> packing = next(is_better)) {
    current_ = *packing;
  } else {
    finish();
  }
}

std::optional<Packing> PackingSearch::next(bool is_better) {
  if (has_climbed_) return {};
  const bool is_climbing_up = index_ >= first_;
  if (is_climbing_up && is_better && index_ + 1 < candidates_.size()) return candidates_[++index_];
  if (is_climbing_up && best_ == candidates_[first_] && first_ > 0) {
    index_ = first_ - 1;  // more runs are not faster than the first number: try fewer
    return candidates_[index_];
  }
  if (!is_climbing_up && is_better && index_ > 0) return candidates_[--index_];
  has_climbed_ = true;
  if (best_.num_workers == 1) return {};
  return Packing{.max_running = best_.max_running, .num_workers = (best_.num_workers + 1) / 2};
}

void PackingSearch::finish() {
  current_ = best_;
  is_done_ = true;
}

void SpeedWindow::observe(const WorkDone& done) {
  if (speed_) return;
  if (!first_) first_ = done;
  const bool are_all_training = done.num_training > 0 && done.num_training == done.num_running;
  if (!begin_ && are_all_training) begin_ = done;
  const WorkDone& begin = begin_ ? *begin_ : done;
  const auto time = done.time - begin.time;
  const double updates = done.updates - begin.updates;
  const bool is_measured =
      begin_ && time >= length_.time &&
      updates >= length_.updates_per_run * static_cast<double>(done.num_running);
  if (!is_measured && done.time - first_->time < length_.longest) return;
  const double seconds = std::chrono::duration<double>(time).count();
  speed_ = seconds > 0 ? (done.steps - begin.steps) / seconds : 0;
}

void save_packing(const std::filesystem::path& folder, const PackingSearch& search, int num_cores,
                  int num_gpus) {
  nlohmann::json trials = nlohmann::json::array();
  for (const PackingSearch::Trial& trial : search.trials()) {
    trials.push_back({{"runs_at_a_time", trial.packing.max_running},
                      {"workers_per_run", trial.packing.num_workers},
                      {"steps_per_second", trial.steps_per_second}});
  }
  const nlohmann::json file = {{"cores", num_cores},
                               {"gpus", num_gpus},
                               {"runs_at_a_time", search.current().max_running},
                               {"workers_per_run", search.current().num_workers},
                               {"measured", trials}};
  write_text(folder / kFile, file.dump(2) + "\n");
}

std::optional<Packing> load_packing(const std::filesystem::path& folder, int num_cores,
                                    int num_gpus) {
  if (!std::filesystem::exists(folder / kFile)) return {};
  try {
    const nlohmann::json file = run::parse_json(read_text(folder / kFile, kMaxSize));
    const auto number = [&](const char* name) {
      return std::clamp(run::whole_number<int>(file.at(name)).value(), 1, 1024);
    };
    if (number("cores") != num_cores || number("gpus") != num_gpus) return {};
    return Packing{.max_running = number("runs_at_a_time"),
                   .num_workers = number("workers_per_run")};
  } catch (const std::exception&) {
    return {};  // measured again
  }
}

}  // namespace plr::experiment

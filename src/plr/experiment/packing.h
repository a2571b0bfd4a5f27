// How many runs of an experiment share the GPUs, chosen by measuring the runs themselves.
//
// A packing is a number of runs at a time and of workers of each: two per core if runs share a GPU,
// but at least four of each run, since workers are idle while their run waits for it. PackingSearch
// climbs from a first packing to more runs as long as the total steps per second grow, and to fewer
// if more are not better; then it tries half the workers. SpeedWindow measures the total speed of
// the runs that execute in one packing.
//
//   PackingSearch search(packings(num_cores, num_gpus, num_runs), {8, 4});
//   while (!search.is_done()) search.record(speed_of(search.current()));
//   search.current();  // the fastest
//
// No step is wasted: a run that is stopped to try another packing resumes from where it was.
// Values; not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace plr::experiment {

struct Packing {
  int max_running = 1;  // runs at a time
  int num_workers = 1;  // of each run

  bool operator==(const Packing&) const = default;
};

// The workers of each of `num_running` runs that share GPUs, at most one per core.
int workers_of_shared_run(int num_cores, int num_running);

// Packings of up to `num_runs` runs, by number of runs. Without sharing, every core has a worker.
std::vector<Packing> packings(int num_cores, int num_gpus, int num_runs);

class PackingSearch {
 public:
  struct Trial {
    Packing packing;
    double steps_per_second = 0;
  };

  // Starts with `first`, or the candidate with the next smaller number of runs.
  // REQUIRES: `candidates` is not empty and is ordered by the number of runs.
  PackingSearch(std::vector<Packing> candidates, Packing first);

  // The packing to measure next; the chosen one if is_done().
  const Packing& current() const { return current_; }
  bool is_done() const { return is_done_; }
  // The speed of current(); 0 if a run failed in it. REQUIRES: !is_done().
  void record(double steps_per_second);
  // Chooses the fastest packing so far, or the first one if none has been measured.
  void finish();

  const std::vector<Trial>& trials() const { return trials_; }

 private:
  std::optional<Packing> next(bool is_better);

  std::vector<Packing> candidates_;
  std::size_t first_ = 0;  // of the candidates
  std::size_t index_ = 0;  // of the last one that was tried
  Packing current_;
  Packing best_;
  double best_speed_ = 0;
  std::vector<Trial> trials_;
  bool has_climbed_ = false;
  bool is_done_ = false;
};

// What the runs of a session have done so far.
struct WorkDone {
  std::chrono::steady_clock::time_point time = {};  // of the measurement
  double steps = 0;
  double updates = 0;
  std::size_t num_running = 0;
  std::size_t num_training = 0;  // of these, runs that have logged an update since they started
};

// How long a packing is measured.
struct WindowLength {
  std::chrono::milliseconds time{20'000};      // from the moment when all runs are training
  double updates_per_run = 20;                 // at least as many
  std::chrono::milliseconds longest{180'000};  // from the first observation, whatever was measured
};

// The total speed of a session from the moment when all runs are training.
class SpeedWindow {
 public:
  explicit SpeedWindow(const WindowLength& length = {}) : length_(length) {}

  // REQUIRES: the time does not decrease.
  void observe(const WorkDone& done);
  // Steps per second once the window is over; 0 if no run has trained in it.
  std::optional<double> speed() const { return speed_; }

 private:
  WindowLength length_;
  std::optional<WorkDone> first_;
  std::optional<WorkDone> begin_;  // when all runs were training
  std::optional<double> speed_;
};

// The result of a search in an experiment's folder, so that a resumed experiment does not repeat
// it: packing.json.
void save_packing(const std::filesystem::path& folder, const PackingSearch& search, int num_cores,
                  int num_gpus);
// Nothing if there is none, it cannot be read, or it was measured with other cores or GPUs.
std::optional<Packing> load_packing(const std::filesystem::path& folder, int num_cores,
                                    int num_gpus);

}  // namespace plr::experiment

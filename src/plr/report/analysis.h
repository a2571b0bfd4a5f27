// Results of a set of runs: learning curves, final numbers and significance tests.
//
// Runs of one environment with equal labels (labels.h) are repetitions of one method. They are
// summarized per environment, and over all environments of a family as the paper's normalized
// returns.
//
//   const Analysis analysis = analyze(found.runs);
//   analysis.envs[0].methods[1].curves[Quantity::kTest].mean
//
// Copyable values without references; runs are given by their index. Concurrent reads are safe, and
// analyze() is thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/report/bootstrap.h"
#include "plr/report/run_data.h"
#include "plr/report/statistics.h"

namespace plr::report {

// What a curve shows: the return on test levels, on training levels, or training minus test.
enum class Quantity { kTest, kTrain, kGap };
inline constexpr std::array kQuantities = {Quantity::kTest, Quantity::kTrain, Quantity::kGap};

// "test", "train" or "gap".
std::string quantity_name(Quantity quantity);

// Summary over runs at each of the steps of an environment or family.
struct Curve {
  std::vector<double> mean;        // [point]; NaN without runs
  std::vector<double> deviation;   // [point]
  std::vector<std::size_t> count;  // [point], number of runs
};

// One curve per quantity. Copyable; concurrent reads are safe.
class Curves {
 public:
  Curve& operator[](Quantity quantity) { return curves_[static_cast<std::size_t>(quantity)]; }
  const Curve& operator[](Quantity quantity) const {
    return curves_[static_cast<std::size_t>(quantity)];
  }

 private:
  std::array<Curve, kQuantities.size()> curves_;
};

// Results of a method's runs in one environment, each [run].
struct FinalNumbers {
  std::vector<double> test;       // return on test levels
  std::vector<double> train;      // return on training levels, sampled uniformly
  std::vector<double> gap;        // train - test
  std::vector<double> success;    // fraction of test levels solved
  std::vector<double> worst;      // mean return on the worst tenth of the test levels, if recorded
  std::vector<double> auc;        // area under the test curve divided by its steps (normalized_auc)
  std::vector<double> train_auc;  // the same of the training curve
};

// Where a method is significantly better than the baseline: higher returns, smaller gap.
struct Significance {
  bool test = false;       // final
  bool auc = false;        // area under the test curve
  bool train = false;      // final
  bool train_auc = false;  // area under the training curve
  bool gap = false;        // final
};

struct MethodResult {
  std::vector<std::size_t> runs;  // sorted by seed; empty if the method has no evaluated run here
  Curves curves;
  FinalNumbers final;
  Significance significance;
};

struct EnvResult {
  std::string env;
  ReturnRange range;                  // of its returns, for normalization
  std::vector<double> steps;          // [point]
  std::vector<MethodResult> methods;  // [label]
};

// Final numbers of a method, averaged over the environments of a family by mean_over_envs().
struct FamilyNumbers {
  Summary test;
  Summary train;
  Summary gap;
  Significance significance;  // of test, train and gap
};

struct FamilyMethod {
  Curves curves;                        // min-max normalized
  FamilyNumbers normalized;             // min-max
  FamilyNumbers unnormalized;           // the paper's criterion when it compares settings
  Summary relative;                     // relative_returns(): the paper's rows
  std::optional<double> interquartile;  // mean of the min-max normalized returns
  // Of `interquartile`, 95 %; empty if it has a single run in some environment.
  std::optional<Interval> interval;
};

// A group of environments whose normalized returns are averaged: "MiniGrid", "Procgen (easy)", ...
struct FamilyResult {
  std::string name;
  std::vector<std::size_t> envs;
  std::vector<double> steps;          // [point]
  std::vector<FamilyMethod> methods;  // [label]; empty if it lacks one of the environments

  // Whether there is a mean to show: several environments, and a method with runs of all of them.
  bool has_mean() const;
};

struct Analysis {
  std::vector<std::string> labels;      // distinct, in the order of tables (ordered_labels)
  std::vector<std::string> run_labels;  // [run]
  std::optional<std::size_t> baseline;  // index of a label; empty if there is none
  std::vector<EnvResult> envs;
  std::vector<FamilyResult> families;
  bool is_final = false;  // false: no run is finished, and final numbers are the latest ones
};

// The mean return on the worst tenth of the test levels; empty if the evaluation did not record
// single returns.
std::optional<double> worst_tenth(const EvalRecord& evaluation);

// Final numbers are those of finished runs or, if no run is finished, the latest of all runs.
// `baseline` is a label; if empty, the first label that starts with "uniform". Throws
// std::invalid_argument if no run has the label `baseline`.
Analysis analyze(std::span<const RunData> runs, const std::string& baseline = "");

}  // namespace plr::report

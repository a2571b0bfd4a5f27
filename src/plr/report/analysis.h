// What do the runs say together?
//
// Runs of one environment and label (labels.h) are repetitions; here they become curves with a
// band, final numbers with their tests, and, over all environments of a family, the paper's
// normalized returns.
//
//   const Analysis analysis = analyze(found.runs);
//   analysis.envs[0].methods[1].curves[kTest].mean
//
// A value type that refers to nothing; the runs are named by their index.
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

enum Quantity : std::size_t { kTest, kTrain, kGap };
inline constexpr std::array<const char*, 3> kQuantityNames = {"test", "train", "gap"};

// Over runs, at each of the steps that the environment's or family's methods share.
struct Curve {
  std::vector<double> mean;        // [point]; NaN where there is no run
  std::vector<double> deviation;   // [point]
  std::vector<std::size_t> count;  // [point], of runs
};

// By run.
struct FinalNumbers {
  std::vector<double> test;     // return on levels never seen
  std::vector<double> train;    // return on training levels, all equally likely
  std::vector<double> gap;      // train - test
  std::vector<double> success;  // share of test levels solved
  std::vector<double> worst;    // mean return of the worst tenth of the test levels, where recorded
  std::vector<double> height;   // of the test curve, averaged over training
};

// How a method compares with the baseline in one environment.
struct Stars {
  bool final = false;   // its final test return is significantly higher
  bool height = false;  // so is its curve, averaged over training
  bool gap = false;     // its final gap is significantly smaller
};

struct MethodResult {
  std::vector<std::size_t> runs;  // by seed; empty if the method was not run here
  std::array<Curve, 3> curves;    // [quantity]
  FinalNumbers final;
  Stars stars;
};

struct EnvResult {
  std::string env;
  ReturnRange range;                  // of its returns, for normalization
  std::vector<double> steps;          // [point]
  std::vector<MethodResult> methods;  // [label]
};

struct FamilyMethod {
  std::array<Curve, 3> curves;          // [quantity], min-max normalized
  std::vector<double> normalized;       // final test return by run, min-max, mean over envs
  std::vector<double> relative;         // the same divided by the baseline's: the paper's rows
  std::optional<double> interquartile;  // of the min-max normalized returns
  Interval interval;                    // of that, 95 %
};

// Environments whose normalized returns may be averaged: "MiniGrid", "Procgen (easy)", ...
struct FamilyResult {
  std::string name;
  std::vector<std::size_t> envs;
  std::vector<double> steps;
  std::vector<FamilyMethod> methods;  // [label]; empty where it misses one of the environments
};

struct Analysis {
  std::vector<std::string> labels;
  std::optional<std::size_t> baseline;  // uniform sampling, if there is one
  std::vector<EnvResult> envs;
  std::vector<FamilyResult> families;
  bool is_final = false;  // false: no run is finished, the numbers are the latest instead
};

// Final numbers are those of finished runs; if there are none, of all runs, as they stand.
// `baseline` is a label; if not given, the first that begins with "uniform".  Throws
// std::invalid_argument if there is no such label.
Analysis analyze(std::span<const RunData> runs, const std::string& baseline = "");

}  // namespace plr::report

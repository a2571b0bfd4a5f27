// Labels of runs, made from their settings.
//
// A label starts with the method as its paper names it: uniform, plr, ucb-drac+plr, accel. If runs
// of one method and environment differ in other settings, the label lists these settings: "plr,
// staleness_coef 0.3". Runs with the released code's settings of level replay and scoring are "plr,
// released-code". If any runs of one environment have different budgets, all labels list theirs:
// "uniform, steps 120M". Seeds and settings of the machine are never part of a label, nor are
// settings that the run ignores: of level replay under uniform sampling, of DrAC without DrAC, of
// another network.
//
//   run_labels(found.runs)   // {"uniform", "plr", "plr"}
//
// Pure functions of their arguments; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

// Whether a setting does not change the method: the seed, and settings of the machine, of
// evaluation and of checkpoints.
bool is_irrelevant_setting(const std::string& name);

// One label per run. Runs of one environment with equal labels are repetitions with other seeds.
std::vector<std::string> run_labels(std::span<const RunData> runs);

// The distinct labels: those of the paper's tables in their order, uniform sampling first, then
// robust PLR, ACCEL and SFL; others follow in alphabetical order.
std::vector<std::string> ordered_labels(std::span<const std::string> labels);

// The index of `label` in `labels`. Throws std::invalid_argument with the closest label if there is
// none.
std::size_t label_index(std::span<const std::string> labels, const std::string& label);

// The settings other than the seed in which the runs differ, in alphabetical order.
std::vector<std::string> differing_settings(std::span<const RunData> runs);

}  // namespace plr::report

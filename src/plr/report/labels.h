// By what names are runs told apart?
//
// A run's method is what the paper calls it: uniform, plr, ucb-drac+plr.  Where runs of one method
// and environment differ in other settings too, these settings are part of the name:
// "plr, staleness_coef 0.3".  All that the released code does differently is one such: "plr,
// released-code".  Seeds, and what the machine decides, never are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plr/report/run_data.h"

namespace plr::report {

// "uniform", "tscl", "mixreg", "ucb-drac", "plr", "ucb-drac+plr", "drac-crop+plr", ...
std::string method_of(const RunData& run);

// One per run; equal ones are repetitions of each other with other seeds.
std::vector<std::string> labels_of(std::span<const RunData> runs);

// The labels without repetition: uniform sampling first, as in the paper's tables.
std::vector<std::string> ordered_labels(std::span<const std::string> labels);

// The settings in which the runs differ, in the order of the alphabet, seeds left out.
std::vector<std::string> differing_settings(std::span<const RunData> runs);

}  // namespace plr::report

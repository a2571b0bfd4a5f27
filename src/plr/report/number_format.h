// Numbers as text for tables and figures. Thread-safe.
#pragma once

#include <string>

namespace plr::report {

// With a fixed number of decimals; "-" for NaN and infinity, and never "-0.00".
std::string decimal(double value, int decimals);

// Thousands from 10,000 and millions are abbreviated: 0.25, 1500, 50k, 25M. At most six significant
// digits, with an abbreviation ten, so that different budgets differ.
std::string short_number(double value);

}  // namespace plr::report

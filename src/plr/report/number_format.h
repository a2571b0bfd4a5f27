// Numbers as text for tables and figures. Thread-safe.
#pragma once

#include <string>

namespace plr::report {

// With a fixed number of decimals; "-" for NaN and infinity, and never "-0.00".
std::string decimal(double value, int decimals);

// At most six significant digits, thousands from 10,000 and millions abbreviated: 0.25, 1500, 50k,
// 25M.
std::string short_number(double value);

}  // namespace plr::report

// Short texts for counts and times in progress lines.
//
//   short_number(12'345)     // "12.3k"
//   clock_text(754)          // "12:34"
//   duration_text(5400)      // "1.5 h"
//
// Free functions without state; thread-safe.
#pragma once

#include <string>

namespace plr::terminal {

// 950, 12.3k, 4.56M, 1.20G.
std::string short_number(double number);

// Minutes and seconds, with hours if there are any: 0:07, 12:34, 3:05:00.  Negative times are 0:00.
std::string clock_text(double seconds);

// For estimates: minutes, rounded up, below an hour; hours with one decimal from there on.
std::string duration_text(double seconds);

}  // namespace plr::terminal

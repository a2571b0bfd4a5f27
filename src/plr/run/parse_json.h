// Parses JSON of files that another person may have written.
//
//   const nlohmann::json record = parse_json(line);
//   if (record.is_discarded()) ...
//
// Copying, comparing and printing a value recurse, so that a text of a million brackets would
// overflow the stack. Values are therefore limited to kMaxJsonDepth. Thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace plr::run {

inline constexpr int kMaxJsonDepth = 64;

// A discarded value if the text is not JSON or is nested deeper than kMaxJsonDepth.
nlohmann::json parse_json(std::string_view text);

}  // namespace plr::run

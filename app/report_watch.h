// plr report --watch: serves a page that follows runs.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "plr/report/live_page.h"

namespace plr::app {

// Serves until Ctrl-C or SIGTERM, on `port` or on the first free port from 8600 on. Prints the
// address in one line. Throws std::invalid_argument for methods that no run has,
// std::runtime_error if the port cannot be opened.
void watch_runs(const std::vector<std::filesystem::path>& folders, report::LiveOptions options,
                std::optional<int> port);

}  // namespace plr::app

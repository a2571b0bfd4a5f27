// The report page of a run or experiment.
#pragma once

#include <filesystem>

namespace plr::app {

// Writes FOLDER/report.html about the runs in the folder and returns its path.  Throws
// std::runtime_error.
std::filesystem::path write_page(const std::filesystem::path& folder);

}  // namespace plr::app

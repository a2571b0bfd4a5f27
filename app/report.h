// How is a run's own page made?
#pragma once

#include <filesystem>

namespace plr::app {

// Writes FOLDER/report.html about the runs in the folder.  Throws std::runtime_error.
std::filesystem::path write_page(const std::filesystem::path& folder);

}  // namespace plr::app

// The pages of docs/reference/, as Markdown.
//
// Every page is generated from the definitions in the code, by `plr help --write docs/reference`.
// Thread-safe.
#pragma once

#include <string>

namespace plr::reference {

// settings.md: every setting of a run and every preset.
std::string settings_page();
// run_files.md: the files in a run's folder and the fields of their records.
std::string run_files_page();
// experiment_files.md: the lines of an experiment file.
std::string experiment_page();

}  // namespace plr::reference

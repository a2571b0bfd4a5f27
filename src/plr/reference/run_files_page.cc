#include <fmt/format.h>

#include "plr/reference/pages.h"
#include "plr/reference/run_files.h"

namespace plr::reference {

std::string run_files_page() {
  std::string page =
      "# Files of a run\n\n"
      "Generated from the code by `plr help --write docs/reference`.\n\n"
      "`plr train` writes one folder per run, by default under `runs/`. Readers should ignore "
      "fields that they\ndo not know. `plr.load_run(FOLDER)` reads the records in Python "
      "([python.md](../python.md)).\n\n"
      "| file | contents |\n|---|---|\n";
  for (const RunFileText& file : run_files()) {
    page += fmt::format("| `{}` | {} |\n", file.name, file.meaning);
  }
  for (const RunFileText& file : run_files()) {
    if (file.fields.empty()) continue;
    page += fmt::format("\n## {}\n\n{}.\n\n| field | type | meaning |\n|---|---|---|\n", file.name,
                        file.meaning);
    for (const FieldText& field : file.fields) {
      page += fmt::format("| `{}` | {}{} | {} |\n", field.name, field.type,
                          field.is_optional ? ", optional" : "", field.meaning);
    }
  }
  return page;
}

}  // namespace plr::reference
